// The minimal View on the official SDK: it shows the tool result, and a button calls a tool.

import type { CallToolResult } from "@modelcontextprotocol/client";
import { App, type McpUiToolInputPartialNotification } from "ext-apps-v2";

const output = document.querySelector("output") as HTMLOutputElement;
const button = document.querySelector("button") as HTMLButtonElement;
const app = new App({ name: "Dice", version: "1.0.0" });

function show({ content: [block] }: CallToolResult): void {
  if (block?.type === "text") output.textContent = block.text;
}

app.ontoolresult = show;
button.onclick = async () => show(await roll());
app.connect();

/** Calls the tool, as the button does. */
export function roll(): Promise<CallToolResult> {
  return app.callServerTool({ name: "roll", arguments: { sides: 6 } });
}

/** For the bench alone: nobody imports it in a plain build, so it costs no byte there. */
export function onPartial(
  listener: (params: McpUiToolInputPartialNotification["params"]) => void,
): void {
  app.ontoolinputpartial = listener;
}
