// The states of the view. `npm run dev` shows them under "Stories", and the tests use them.

import type { AppOf } from "@vitrine/server";
import { defineStories } from "@vitrine/testing";
import type { tasks } from "../../server/app.ts";

const list = (...titles: string[]) => ({
  content: [],
  structuredContent: {
    tasks: titles.map((title, at) => ({ id: `${at + 1}`, title, done: false })),
  },
});

export default defineStories<AppOf<typeof tasks>>({
  tool: "show-tasks",
  input: {},
  tools: { "add-task": list("Call Ana", "Buy milk", "A new task"), "set-done": list("Call Ana") },
  stories: {
    Tasks: { result: list("Call Ana", "Buy milk") },
    Empty: { result: list() },
    Failed: { result: { isError: true, content: [{ type: "text", text: "No connection." }] } },
    Waiting: {},
    "A phone in the dark": { result: list("Call Ana"), host: { theme: "dark", width: 360 } },
  },
});
