import type { Run } from "./dev-state.ts";

const MOST_RUNS = 100;
// Older results this large are dropped; the timeline has them, too.
const LARGE_RESULT = 1_000_000;

/** The history with another run; the one before it has ended now, if it hadn't. */
export function addRun(history: readonly Run[], run: Run): Run[] {
  const last = history.slice(-1).map(settled);
  return [...history.slice(0, -1), ...last, run].slice(-MOST_RUNS);
}

/** The history after a run has changed. */
export function changeRun(history: readonly Run[], run: Run): Run[] {
  return history.map((past) => (past.id === run.id ? run : past));
}

/** A run as it is kept while another one is shown. */
function settled(run: Run): Run {
  if (run.state === "writing" || run.state === "running") return { ...run, state: "cancelled" };
  const { result, ...rest } = run;
  if (!result || JSON.stringify(result).length <= LARGE_RESULT) return run;
  return { ...rest, isShortened: true };
}
