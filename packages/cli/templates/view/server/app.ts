// The app: its tools, its View, and what the View may reach. The View takes its types from here.

import { appTool, defineApp } from "@vitrine/server";
import { z } from "zod";
import { addTask, allTasks, setDone } from "./task-list.ts";

const taskList = z.object({
  tasks: z.array(z.object({ id: z.string(), title: z.string(), done: z.boolean() })),
});

export const tasks = defineApp({
  name: "tasks",
  title: "Tasks",
  description: "Shows the tasks, where the user ticks them off and adds new ones.",
  // The tool that opens the View. Its result is what the View shows, and as text what the model reads.
  tool: {
    name: "show-tasks",
    outputSchema: taskList,
    annotations: { readOnlyHint: true },
    handler: () => ({ data: { tasks: allTasks() } }),
  },
  tools: {
    // For the model and the View.
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
    // For the View alone: the model never sees it.
    "set-done": appTool({
      title: "Tick a task off",
      inputSchema: z.object({ id: z.string(), done: z.boolean() }),
      outputSchema: taskList,
      handler: ({ id, done }) =>
        setDone(id, done)
          ? { data: { tasks: allTasks() } }
          : { text: `There is no task ${id} any more.`, isError: true },
    }),
  },
  // One file, made by `npm run build` from views/tasks.
  view: new URL("../dist/ui/tasks/index.html", import.meta.url),
  // What the View may reach; without a line it is nothing: csp: { connectDomains: ["https://…"] }
  prefersBorder: true,
});
