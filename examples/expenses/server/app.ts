// The app: its tools and its view. The view imports its types from here.

import { appTool, defineApp } from "@vitrine/server";
import { z } from "zod";
import { addExpense, expensesOf, setStatus } from "./expense-list.ts";

const month = z.string().regex(/^\d{4}-\d{2}$/, "Write the month as 2026-11.");
const draft = z.object({
  title: z.string().min(1).max(80).describe("Purchase"),
  amount: z.number().positive().max(100_000).describe("Euros, with cents"),
  category: z.enum(["Travel", "Meals", "Software", "Equipment"]),
  date: z.iso.date(),
});
const expense = draft.extend({
  id: z.string(),
  person: z.string(),
  status: z.enum(["open", "approved", "rejected"]),
});
const list = z.object({
  kind: z.literal("list"),
  month,
  budget: z.number(),
  expenses: z.array(expense),
});

const listOf = (shown: string) => ({
  kind: "list" as const,
  month: shown,
  budget: 1500,
  expenses: expensesOf(shown),
});

export const expenses = defineApp({
  name: "expenses",
  title: "Expenses",
  description: "Shows the company's expenses of a month. The user can approve or reject them.",
  // The model calls this tool. The view shows its result, and the model reads it as text.
  tool: {
    name: "show-expenses",
    inputSchema: z.object({ month: month.default("2026-11") }),
    outputSchema: list,
    annotations: { readOnlyHint: true, openWorldHint: false },
    handler: ({ month }) => ({ data: listOf(month) }),
  },
  tools: {
    // The model calls this one too, and it opens the same view: a form, filled in while the model
    // writes. It saves nothing; the user does.
    "draft-expense": appTool({
      opens: true,
      title: "Draft an expense",
      description: "Fills in the form for a new expense. The user checks and saves it.",
      inputSchema: draft,
      outputSchema: z.object({ kind: z.literal("draft"), draft }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      handler: (draft) => ({
        text: `The form shows "${draft.title}", ${draft.amount} €. The user has not saved it yet.`,
        data: { kind: "draft" as const, draft },
      }),
    }),
    // The rest is only for the view; the model never sees these tools.
    "save-expense": appTool({
      title: "Save the expense",
      inputSchema: draft,
      outputSchema: list,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      handler: (draft) => {
        addExpense(draft);
        return { data: listOf(draft.date.slice(0, 7)) };
      },
    }),
    "set-status": appTool({
      title: "Approve or reject an expense",
      inputSchema: z.object({ id: z.string(), status: z.enum(["approved", "rejected"]) }),
      outputSchema: list,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      handler: ({ id, status }) => {
        const changed = setStatus(id, status);
        if (!changed) return { text: "This expense doesn't exist any more.", isError: true };
        return { data: listOf(changed.date.slice(0, 7)) };
      },
    }),
    "list-month": appTool({
      title: "List the expenses of another month",
      inputSchema: z.object({ month }),
      outputSchema: list,
      annotations: { readOnlyHint: true, openWorldHint: false },
      handler: ({ month }) => ({ data: listOf(month) }),
    }),
  },
  view: new URL("../dist/ui/expenses/index.html", import.meta.url),
  prefersBorder: true,
});
