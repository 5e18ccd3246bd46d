import { useApp, useToolResult } from "@vitrine/view/react";
import { createRoot } from "react-dom/client";
import { sentence } from "../weather.js";
import "../weather.css";

function Weather() {
  const { app } = useApp({ appInfo: { name: "weather", version: "1.0.0" }, capabilities: {} });
  const result = useToolResult(app);
  return (
    <div className="weather">
      <output>{result && sentence(result.structuredContent)}</output>
    </div>
  );
}

createRoot(document.getElementById("app")).render(<Weather />);
