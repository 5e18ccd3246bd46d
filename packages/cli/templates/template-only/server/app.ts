// The app: its tools, and a view from a template. No page to write, nothing to build.

import { appTool, defineApp } from "@vitrine/server";
import { kanban } from "@vitrine/server/templates";
import { z } from "zod";
import { addTask, allTasks, setDone } from "./task-list.ts";

const column = z.enum(["open", "done"]);
const board = z.object({
  cards: z.array(z.object({ id: z.string(), title: z.string(), column })),
});

const cards = () =>
  allTasks().map(({ id, title, done }) => ({
    id,
    title,
    column: done ? ("done" as const) : ("open" as const),
  }));

export const tasks = defineApp({
  name: "tasks",
  title: "Tasks",
  description: "Shows the tasks as a board on which the user can move them.",
  // The tool that opens the view. The view shows its result, and the model reads it as text.
  tool: {
    name: "show-tasks",
    outputSchema: board,
    annotations: { readOnlyHint: true },
    handler: () => ({ data: { cards: cards() } }),
  },
  tools: {
    // For the model and the view.
    "add-task": appTool({
      title: "Add a task",
      inputSchema: z.object({ title: z.string().min(1).max(200) }),
      outputSchema: board,
      visibility: ["model", "app"],
      handler: ({ title }) => {
        addTask(title);
        return { data: { cards: cards() } };
      },
    }),
    // For the view only, with the arguments that the template sends; the model never sees it.
    "move-task": appTool({
      title: "Move a task",
      inputSchema: z.object({ cardId: z.string(), fromColumn: column, toColumn: column }),
      outputSchema: board,
      handler: ({ cardId, toColumn }) =>
        setDone(cardId, toColumn === "done")
          ? { data: { cards: cards() } }
          : { text: `The task ${cardId} doesn't exist any more.`, isError: true },
    }),
  },
  // Others: form, dataTable, progress, diffViewer, treeView, chart, detail, gallery.
  view: kanban({
    title: "Tasks",
    columns: [
      { id: "open", title: "Open" },
      { id: "done", title: "Done" },
    ],
    onMoveTool: "move-task",
  }),
  prefersBorder: true,
});
