// An app for tests of `mountView`: it shows the tasks of its result and adds one with a tool.

import { appTool, defineApp } from "@vitrine/server";
import { buildSync } from "esbuild";
import * as z from "zod";

const PROGRAM = `import { App } from "@vitrine/view";
const app = new App({ name: "tasks", version: "1.0.0" });
const list = document.querySelector("ul"), note = document.querySelector("output");
const show = ({ isError, content = [], structuredContent: data }) => {
  if (isError) { note.textContent = "Failed: " + content[0].text; return; }
  list.replaceChildren(...data.tasks.map((task) => Object.assign(document.createElement("li"), { textContent: task })));
  note.textContent = data.tasks.length + " tasks";
};
app.ontoolinputpartial = ({ arguments: { list } }) => { note.textContent = "Reading " + list + " …"; };
app.ontoolinput = ({ arguments: { list } }) => { note.textContent = "List " + list; };
app.ontoolresult = show;
app.ontoolcancelled = ({ reason }) => { note.textContent = "Cancelled: " + reason; };
app.onhostcontextchanged = ({ theme }) => { if (theme) document.body.dataset.theme = theme; };
document.querySelector("form").onsubmit = async (event) => {
  event.preventDefault();
  const text = document.querySelector("input").value;
  try {
    const result = await app.callServerTool({ name: "add_task", arguments: { text } });
    show(result);
  } catch (error) { note.textContent = "Error: " + error.message; }
};
document.querySelector("#tell").onclick = async () => {
  await app.sendMessage({ role: "user", content: [{ type: "text", text: "Plan my day" }] });
  await app.updateModelContext({ structuredContent: { selected: 1 } });
  await app.openLink({ url: "https://example.com/" });
};
document.querySelector("#other").onclick = () => app.callServerTool({ name: "remove_all", arguments: {} }).catch((error) => { note.textContent = error.message; });
document.querySelector("#fetch").onclick = () => fetch("https://example.com/").catch(() => { note.textContent = "Blocked"; });
app.connect().then(() => { document.body.dataset.theme = app.getHostContext()?.theme; document.body.lang = app.getHostContext()?.locale; });
`;

const { outputFiles } = buildSync({
  stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
  bundle: true,
  write: false,
  format: "esm",
  conditions: ["@vitrine/source"],
});

/** The page of the app. */
export const TASK_PAGE = `<!doctype html><html lang="en"><title>Tasks</title>
<body><output></output><ul></ul>
<form><input aria-label="New task"><button>Add</button></form>
<button id="tell">Tell</button><button id="other">Other</button><button id="fetch">Fetch</button>
<script type="module">${outputFiles[0]?.text}</script></body></html>`;

/** The app. */
export const taskApp = defineApp({
  name: "show_tasks",
  tool: {
    inputSchema: z.object({ list: z.string() }),
    outputSchema: z.object({ tasks: z.array(z.string()) }),
    annotations: { readOnlyHint: true },
    handler: () => ({ data: { tasks: [] } }),
  },
  tools: {
    add_task: appTool({
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ tasks: z.array(z.string()) }),
      handler: ({ text }) => ({ data: { tasks: [text] } }),
    }),
  },
  view: TASK_PAGE,
  prefersBorder: false,
  // The test wants the policy to block something.
  warn: () => {},
});

/** A result with tasks. */
export const tasksResult = (...tasks: string[]) => ({
  content: [{ type: "text" as const, text: tasks.join(", ") }],
  structuredContent: { tasks },
});
