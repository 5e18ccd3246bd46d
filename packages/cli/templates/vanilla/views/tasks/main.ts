import type { AppOf } from "@vitrine/server";
import {
  App,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  type ToolResultOf,
} from "@vitrine/view";
import type { tasks } from "../../server/app.ts";
import "./tasks.css";

// Types only: no server code gets into the page.
type Tasks = AppOf<typeof tasks>;
type TaskList = Tasks["output"];

const app = new App<Tasks>({ name: "tasks", version: "0.1.0" });
const status = find("[role=status]");
const problem = find("[role=alert]");
const items = find("ul");
const form = find<HTMLFormElement>("form");
const title = find<HTMLInputElement>("[name=title]");
const openOnly = find<HTMLInputElement>("#open-only");
let list: TaskList | undefined;

app.ontoolresult = show;
app.ontoolcancelled = () => {
  status.textContent = "Stopped before the tasks arrived.";
};
app.onhostcontextchanged = applyStyles;
await app.connect();
applyStyles();

// The state that the host kept of an earlier mount. The host then repeats the old result, and the
// server has newer data.
const kept = app.state.get<{ openOnly: boolean }>();
if (kept) {
  openOnly.checked = kept.openOnly;
  await ask(app.callServerTool({ name: "show-tasks", arguments: {} }));
}

openOnly.onchange = () => {
  app.state.set({ openOnly: openOnly.checked });
  render();
};
form.onsubmit = async (event) => {
  event.preventDefault();
  await ask(app.callServerTool({ name: "add-task", arguments: { title: title.value } }));
  form.reset();
};

/** Shows the server's list, or why there is none. */
async function ask(call: Promise<ToolResultOf<TaskList>>): Promise<void> {
  await call.then(show, (error) => {
    problem.textContent = String(error.message);
  });
}

function show({ structuredContent, content, isError }: ToolResultOf<TaskList>): void {
  const [first] = content;
  problem.textContent = isError && first?.type === "text" ? first.text : "";
  list = structuredContent ?? list;
  render();
  if (!list && !isError) status.textContent = "Nothing to do.";
}

function render(): void {
  const shown = list?.tasks.filter(({ done }) => !(done && openOnly.checked)) ?? [];
  const focused = document.activeElement?.id;
  items.replaceChildren(...shown.map(itemOf));
  status.textContent = list && shown.length === 0 ? "Nothing to do." : "";
  if (focused) document.getElementById(focused)?.focus();
}

function itemOf({ id, title, done }: TaskList["tasks"][number]): HTMLLIElement {
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: done });
  box.id = `task-${id}`;
  box.onclick = (event) => {
    // It is checked once the server has stored it.
    event.preventDefault();
    void ask(app.callServerTool({ name: "set-done", arguments: { id, done: !done } }));
  };
  const words = document.createElement("span");
  words.textContent = title;
  words.classList.toggle("done", done);
  const label = document.createElement("label");
  label.append(box, words);
  const item = document.createElement("li");
  item.append(label);
  return item;
}

function applyStyles(): void {
  const { theme, styles } = app.getHostContext() ?? {};
  if (theme) applyDocumentTheme(theme);
  if (styles?.variables) applyHostStyleVariables(styles.variables);
  if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
}

function find<E extends HTMLElement>(selector: string): E {
  const element = document.querySelector<E>(selector);
  if (!element) throw new Error(`index.html has no element ${selector}.`);
  return element;
}
