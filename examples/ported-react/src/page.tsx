// A to-do View as its author wrote it for the official SDK. The one thing that changed is where the
// next import comes from.

import { type App, useApp, useDocumentTheme, useHostStyles } from "@vitrine/view/react";
import { type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";

interface Task {
  id: string;
  title: string;
  done: boolean;
}

type Tasks = { tasks: Task[] };

function View(): ReactNode {
  const [list, setList] = useState<string>();
  const [tasks, setTasks] = useState<Task[]>([]);
  const [status, setStatus] = useState("waiting");
  const { app, isConnected, error } = useApp({
    appInfo: { name: "tasks", version: "2.1.0" },
    capabilities: { availableDisplayModes: ["inline"] },
    onAppCreated: (created) => {
      created.ontoolinput = ({ arguments: args }) => setList(`${args?.list}`);
      created.ontoolresult = ({ structuredContent }) => {
        setTasks((structuredContent as Tasks).tasks);
        setStatus("loaded");
      };
      created.ontoolcancelled = () => setStatus("cancelled");
      created.onteardown = async () => {
        setStatus("closing");
        return {};
      };
    },
  });
  useHostStyles(app, app?.getHostContext());
  const theme = useDocumentTheme();

  if (error) return <p>failed</p>;
  if (!app || !isConnected) return <p>connecting</p>;
  return (
    <main>
      <h1>{list ?? "no list"}</h1>
      <p id="status">
        {status}, {theme}
      </p>
      <ul>
        {tasks.map((task) => (
          <li key={task.id}>
            <Row app={app} task={task} onTasks={setTasks} onStatus={setStatus} />
          </li>
        ))}
      </ul>
      <Actions app={app} open={tasks.filter(({ done }) => !done).length} onStatus={setStatus} />
    </main>
  );
}

function Row({
  app,
  task,
  onTasks,
  onStatus,
}: {
  app: App;
  task: Task;
  onTasks: (tasks: Task[]) => void;
  onStatus: (status: string) => void;
}): ReactNode {
  const toggle = async (): Promise<void> => {
    const result = await app.callServerTool({ name: "toggle", arguments: { id: task.id } });
    if (result.isError) {
      onStatus(`could not toggle ${task.title}`);
      return;
    }
    const { tasks } = result.structuredContent as Tasks;
    onTasks(tasks);
    await app.updateModelContext({ structuredContent: { tasks } });
    onStatus(`toggled ${task.title}`);
  };
  return (
    <button id={task.id} type="button" onClick={toggle}>
      {task.done ? "✓" : "○"} {task.title}
    </button>
  );
}

function Actions({
  app,
  open,
  onStatus,
}: {
  app: App;
  open: number;
  onStatus: (status: string) => void;
}): ReactNode {
  const ask = async (): Promise<void> => {
    const text = `Which of my ${open} tasks comes first?`;
    await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
    onStatus("asked");
  };
  const help = async (): Promise<void> => {
    const { isError } = await app.openLink({ url: "https://tasks.example/help" });
    onStatus(isError ? "help was refused" : "help is open");
  };
  return (
    <p>
      <button id="ask" type="button" onClick={ask}>
        Ask
      </button>
      <button id="help" type="button" onClick={help}>
        Help
      </button>
    </p>
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(<View />);
