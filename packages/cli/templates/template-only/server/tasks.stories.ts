// The states of the view. `npm run dev` shows them under "Stories", and the tests use them.

import type { AppOf } from "@vitrine/server";
import { defineStories } from "@vitrine/testing";
import type { tasks } from "./app.ts";

const board = (...titles: string[]) => ({
  content: [],
  structuredContent: {
    cards: titles.map((title, at) => ({ id: `${at + 1}`, title, column: "open" as const })),
  },
});

export default defineStories<AppOf<typeof tasks>>({
  tool: "show-tasks",
  input: {},
  tools: { "move-task": board("Call Ana") },
  stories: {
    Tasks: { result: board("Call Ana", "Buy milk") },
    Empty: { result: board() },
    Failed: { result: { isError: true, content: [{ type: "text", text: "No connection." }] } },
    Waiting: {},
    "A phone in the dark": { result: board("Call Ana"), host: { theme: "dark", width: 360 } },
  },
});
