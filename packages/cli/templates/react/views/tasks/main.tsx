import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { TaskView } from "./task-view.tsx";
import "./tasks.css";

const root = document.getElementById("app");
if (!root) throw new Error("The page has no element #app.");
createRoot(root).render(
  <StrictMode>
    <TaskView />
  </StrictMode>,
);
