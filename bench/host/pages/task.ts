import type { Sample } from "../../view/pages/slices.ts";
import { type Results, runResults } from "./results.ts";
import { type Showing, show } from "./showing.ts";
import type { Addresses } from "./stack.ts";
import { runTraffic, type Traffic } from "./traffic.ts";

/** What the bench can have the page do. */
export type Task =
  | ({ kind: "show" } & Showing)
  | ({ kind: "traffic" } & Traffic)
  | ({ kind: "results" } & Results);

/** Does it, and resolves to what was measured. */
export function runTask(task: Task, addresses: Addresses): Promise<Sample[]> {
  if (task.kind === "show") return show(task, addresses);
  if (task.kind === "traffic") return runTraffic(task, addresses);
  return runResults(task, addresses);
}
