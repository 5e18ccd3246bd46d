import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ExpensesView } from "./expenses-view.tsx";

const root = document.getElementById("app");
if (!root) throw new Error("The page has no element #app.");
createRoot(root).render(
  <StrictMode>
    <ExpensesView />
  </StrictMode>,
);
