import type { AppOf } from "@vitrine/server";
import type { expenses } from "../../server/app.ts";

// Types only: no server code gets into the page.
export type Expenses = AppOf<typeof expenses>;
export type List = Extract<Expenses["output"], { kind: "list" }>;
export type Expense = List["expenses"][number];
export type Draft = Extract<Expenses["output"], { kind: "draft" }>["draft"];
