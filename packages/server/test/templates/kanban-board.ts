// A board for tests, and what is read on it.

import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Shown } from "./template-stage.ts";

export const columns = [
  { id: "todo", title: "To do" },
  { id: "doing", title: "In progress" },
  { id: "done", title: "Done" },
];
export const cards = [
  {
    id: "A-1",
    title: "Write the report",
    description: "All figures of March, with a chart for each region and what we make of them.",
    column: "todo",
    priority: "High",
    tags: ["docs", "q1"],
    assignee: "Ada Lovelace",
  },
  { id: "A-2", title: "Order paper", status: "todo", priority: "Low", tags: ["supplies"] },
  { id: "A-3", title: "Review", column: "doing", priority: "Medium", assignee: "Alan Turing" },
  { id: "A-4", title: "Invite the board", column: "done" },
];
export const result = { structuredContent: { cards } };
export const config = { title: "Sprint 12", columns };

/** `To do: Write the report, Order paper | …` as it is on screen. */
export const board = (shown: Shown): Promise<string> =>
  shown.frame.evaluate(() =>
    [...document.querySelectorAll(".lane")]
      .map((lane) => {
        const titles = [...lane.querySelectorAll(".card .title")].map((one) => one.textContent);
        return `${lane.querySelector("h2")?.textContent}: ${titles.join(", ")}`.trim();
      })
      .join(" | "),
  );
export const said = (shown: Shown): Promise<string | null> =>
  shown.frame.locator("main > [role=status]").last().textContent();
export const handle = (shown: Shown, title: string) =>
  shown.frame.getByRole("button", { name: `Move ${title}` });
export const START =
  "To do: Write the report, Order paper | In progress: Review | Done: Invite the board";
export const MOVED =
  "To do: Order paper | In progress: Review, Write the report | Done: Invite the board";

export interface MoveTool {
  wait?: Promise<void>;
  refuse?: boolean;
  answer?: object;
}

/** A real tool that moves cards, when it is let, if it likes. */
export function moveTool(server: McpServer, tool: MoveTool = {}): void {
  const inputSchema = z.strictObject({
    cardId: z.string(),
    fromColumn: z.string(),
    toColumn: z.string(),
    toIndex: z.number().optional(),
  });
  server.registerTool("move", { inputSchema }, async () => {
    await tool.wait;
    if (tool.refuse) throw new Error("Somebody else is editing this card.");
    return { content: [], ...(tool.answer && { structuredContent: { ...tool.answer } }) };
  });
}
