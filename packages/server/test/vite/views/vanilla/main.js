import { App } from "@vitrine/view";
import { sentence } from "../weather.js";
import "../weather.css";

const app = new App({ name: "weather", version: "1.0.0" });
const show = ({ structuredContent }) => {
  document.querySelector("output").textContent = sentence(structuredContent);
};
app.ontoolresult = show;
document.querySelector("button").onclick = async () =>
  show(await app.callServerTool({ name: "weather", arguments: {} }));
await app.connect();
