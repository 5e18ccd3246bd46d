import { defineStories } from "@vitrine/testing";
import type { Expense, Expenses } from "./expenses-types.ts";

const lunch: Expense = {
  id: "3",
  title: "Team lunch",
  amount: 142.5,
  category: "Meals",
  date: "2026-11-09",
  person: "Chiara Riva",
  status: "open",
};
const chair: Expense = { ...lunch, id: "4", title: "Chair", amount: 489, category: "Equipment" };
const taxi: Expense = { ...lunch, id: "5", title: "Taxi", amount: 38.2, category: "Travel" };
const listOf = (...expenses: Expense[]) => ({
  content: [],
  structuredContent: { kind: "list" as const, month: "2026-11", budget: 1500, expenses },
});
const draft = { title: "Taxi to the airport", amount: 38.2, category: "Travel" as const };

export default defineStories<Expenses>({
  tool: "show-expenses",
  tools: {
    "set-status": listOf(chair, { ...lunch, status: "approved" }),
    "save-expense": listOf(taxi),
    "list-month": listOf(),
  },
  stories: {
    Full: { result: listOf(chair, { ...taxi, status: "rejected" }, lunch) },
    Empty: { result: listOf() },
    Failed: { result: { isError: true, content: [{ type: "text", text: "Not available." }] } },
    Cancelled: { cancelled: "The user stopped it." },
    Waiting: {},
    "Form while the model writes": {
      tool: "draft-expense",
      partialInputs: [{ title: "Taxi" }, { title: draft.title, amount: 38 }],
    },
    Form: {
      tool: "draft-expense",
      input: { ...draft, date: "2026-11-14" },
      result: {
        content: [],
        structuredContent: { kind: "draft", draft: { ...draft, date: "2026-11-14" } },
      },
    },
    "Dark, on a phone": { result: listOf(chair, taxi, lunch), host: { theme: "dark", width: 360 } },
  },
});
