// A view that requests everything and checks nothing: its SDK decides what is allowed. It is built
// with ours and with the official one, whose names are the same.

import { App, applyDocumentTheme, applyHostStyleVariables } from "@vitrine/view";
import { z } from "zod";

const output = document.querySelector("output") as HTMLOutputElement;
const app = new App(
  { name: "everything", version: "1.0.0" },
  { availableDisplayModes: ["inline", "fullscreen"], tools: { listChanged: true } },
);

const applyContext = (): void => {
  const { theme, styles, containerDimensions } = app.getHostContext() ?? {};
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  const { height, maxHeight } = (containerDimensions ?? {}) as Record<string, number>;
  const { style } = document.documentElement;
  style.height = height ? "100%" : "";
  style.maxHeight = maxHeight ? `${maxHeight}px` : "";
};
app.ontoolinputpartial = (params) => {
  output.textContent = JSON.stringify(params.arguments ?? {});
};
app.ontoolresult = ({ content }) => {
  const block = content?.[0];
  output.textContent = block?.type === "text" ? block.text : "";
};
app.onhostcontextchanged = applyContext;

const text = (words: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: words }],
});
app.registerTool(
  "echo",
  { description: "Repeats the text.", inputSchema: z.object({ text: z.string() }) },
  ({ text: words }) => text(words),
);
const failing = app.registerTool(
  "fails",
  { description: "Fails.", inputSchema: z.object({}) },
  () => {
    throw new Error("It failed.");
  },
);

const press = (id: string, action: () => unknown): void => {
  const button = document.getElementById(id) as HTMLButtonElement;
  button.onclick = () => void Promise.resolve(action()).catch(() => {});
};
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hello" } }];
const tools = [{ name: "look", inputSchema: { type: "object" as const } }];
press("mode", () => app.requestDisplayMode({ mode: "fullscreen" }));
press("sample", () => app.createSamplingMessage({ messages, maxTokens: 10 }));
press("sample-tools", () => app.createSamplingMessage({ messages, maxTokens: 10, tools }));
press("tell", () => app.updateModelContext(text("Pressed.")));
press("close", () => app.requestTeardown());
press("tools", () => failing.update({ description: "Fails still." }));
press(
  "locate",
  () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
);
press("call", () => app.callServerTool({ name: "x", arguments: {} }));

await app.connect();
applyContext();
