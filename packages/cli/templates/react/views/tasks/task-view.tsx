import type { AppOf } from "@vitrine/server";
import { type ToolResultOf, useApp, useHostStyles, useToolResult } from "@vitrine/view/react";
import { type FormEvent, useEffect, useState } from "react";
import type { tasks } from "../../server/app.ts";

// Types only: no server code gets into the page.
type Tasks = AppOf<typeof tasks>;
type TaskList = Tasks["output"];

export function TaskView() {
  const { app, error } = useApp<Tasks>({
    appInfo: { name: "tasks", version: "0.1.0" },
    capabilities: {},
  });
  useHostStyles(app);
  const opened = useToolResult(app);
  const [isStopped, setStopped] = useState(false);
  const [newer, setNewer] = useState<TaskList>();
  const [problem, setProblem] = useState("");
  const [openOnly, setOpenOnly] = useState(false);
  const [title, setTitle] = useState("");

  /** Shows the server's list, or why there is none. */
  async function ask(call: Promise<ToolResultOf<TaskList>> | undefined): Promise<void> {
    try {
      const {
        structuredContent,
        content: [first],
        isError,
      } = (await call) ?? { content: [] };
      setProblem(isError && first?.type === "text" ? first.text : "");
      if (structuredContent) setNewer(structuredContent);
    } catch (error) {
      setProblem((error as Error).message);
    }
  }

  useEffect(() => {
    if (app) app.ontoolcancelled = () => setStopped(true);
  }, [app]);

  // The state that the host kept of an earlier mount. The host then repeats the old result, and the
  // server has newer data.
  useEffect(() => {
    const kept = app?.state.get<{ openOnly: boolean }>();
    if (!kept) return;
    setOpenOnly(kept.openOnly);
    void ask(app?.callServerTool({ name: "show-tasks", arguments: {} }));
  }, [app]);

  function changeFilter(openOnly: boolean): void {
    setOpenOnly(openOnly);
    app?.state.set({ openOnly });
  }

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    await ask(app?.callServerTool({ name: "add-task", arguments: { title } }));
    setTitle("");
  }

  const list = newer ?? opened?.structuredContent;
  const shown = list?.tasks.filter(({ done }) => !(done && openOnly)) ?? [];
  const [first] = opened?.content ?? [];
  const failure = opened?.isError && first?.type === "text" ? first.text : "";
  return (
    <main>
      <h1>Tasks</h1>
      {!list && !opened && !isStopped && <p role="status">Loading tasks …</p>}
      {!list && isStopped && <p role="status">Stopped before the tasks arrived.</p>}
      {(list || (opened && !failure)) && shown.length === 0 && <p role="status">Nothing to do.</p>}
      <ul>
        {shown.map(({ id, title, done }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={() =>
                  ask(app?.callServerTool({ name: "set-done", arguments: { id, done: !done } }))
                }
              />
              <span className={done ? "done" : ""}>{title}</span>
            </label>
          </li>
        ))}
      </ul>
      <form onSubmit={add}>
        <input
          placeholder="New task"
          aria-label="New task"
          maxLength={200}
          required
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <button type="submit">Add</button>
      </form>
      <label>
        <input
          type="checkbox"
          checked={openOnly}
          onChange={(event) => changeFilter(event.target.checked)}
        />
        Open tasks only
      </label>
      <p role="alert">{error?.message ?? (problem || (!newer && failure))}</p>
    </main>
  );
}
