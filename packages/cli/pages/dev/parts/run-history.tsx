import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { Run } from "../dev-state.ts";
import { formatTime } from "../timeline-model.ts";
import { ScrollArea } from "./scroll-area.tsx";

/** The runs since the page was opened. A click shows one again, without calling the tool. */
export function RunHistory({ host }: { host: DevHost }): ReactNode {
  const { history, run: shown } = useFields(host.state, "history", "run");
  const show = (run: Run): void => {
    host.select(run.tool.name, run.arguments);
    if (!run.isShortened) host.runs.showAgain(run);
  };
  return (
    <ScrollArea className="history" label="Past runs">
      {history.length === 0 && (
        <p className="empty">The runs of this page will be listed here, newest first.</p>
      )}
      <ul>
        {history.toReversed().map((run) => (
          <li key={run.id}>
            <button
              type="button"
              aria-current={run.id === shown?.id}
              title={
                run.isShortened
                  ? "Fills the form with its input. The result was too large to keep."
                  : "Shows it again with its input and its result, without calling the tool"
              }
              disabled={isGoing(run)}
              onClick={() => show(run)}
            >
              <time dateTime={new Date(run.at).toISOString()}>
                {new Date(run.at).toLocaleTimeString()}
              </time>
              <bdi className="what">{run.tool.name}</bdi>
              <span className="outcome" data-outcome={outcomeOf(run)}>
                {WORDS[outcomeOf(run)]}
                {run.elapsed !== undefined && ` · ${formatTime(run.elapsed)}`}
              </span>
              <code className="given">{JSON.stringify(run.arguments).slice(0, 200)}</code>
            </button>
          </li>
        ))}
      </ul>
    </ScrollArea>
  );
}

type Outcome = "running" | "done" | "error" | "failed" | "cancelled";

const WORDS: Record<Outcome, string> = {
  running: "Running",
  done: "Answered",
  error: "Tool error",
  failed: "Failed",
  cancelled: "Cancelled",
};

function isGoing({ state }: Run): boolean {
  return state === "running" || state === "writing";
}

function outcomeOf(run: Run): Outcome {
  if (run.state === "done") return run.result?.isError === true ? "error" : "done";
  return run.state === "writing" ? "running" : run.state;
}
