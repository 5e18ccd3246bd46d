// The app: its tools, its view, and the origins that the view may reach. The view imports its types
// from here.

import { appTool, defineApp } from "@vitrine/server";
import { z } from "zod";
import { addTask, allTasks, setDone } from "./task-list.ts";

const taskList = z.object({
  tasks: z.array(z.object({ id: z.string(), title: z.string(), done: z.boolean() })),
});

export const tasks = defineApp({
  name: "tasks",
  title: "Tasks",
  description: "Shows the tasks. The user can check them off and add new ones.",
  // The tool that opens the view. The view shows its result, and the model reads it as text.
  tool: {
    name: "show-tasks",
    outputSchema: taskList,
    annotations: { readOnlyHint: true },
    handler: () => ({ data: { tasks: allTasks() } }),
  },
  tools: {
    // For the model and the view.
    "add-task": appTool({
      title: "Add a task",
      inputSchema: z.object({ title: z.string().min(1).max(200) }),
      outputSchema: taskList,
      visibility: ["model", "app"],
      handler: ({ title }) => {
        addTask(title);
        return { data: { tasks: allTasks() } };
      },
    }),
    // For the view only: the model never sees it.
    "set-done": appTool({
      title: "Check off a task",
      inputSchema: z.object({ id: z.string(), done: z.boolean() }),
      outputSchema: taskList,
      handler: ({ id, done }) =>
        setDone(id, done)
          ? { data: { tasks: allTasks() } }
          : { text: `The task ${id} doesn't exist any more.`, isError: true },
    }),
  },
  // One file, built by `npm run build` from views/tasks.
  view: new URL("../dist/ui/tasks/index.html", import.meta.url),
  // Origins that the view may reach; none without this: csp: { connectDomains: ["https://…"] }
  prefersBorder: true,
});
