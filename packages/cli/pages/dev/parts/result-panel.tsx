import type { CallToolResult } from "@vitrine/protocol/apps";
import { type ReactNode, useState } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { Run } from "../dev-state.ts";
import { formatTime } from "../timeline-model.ts";
import { Icon } from "./icon.tsx";
import { JsonTree } from "./json-tree.tsx";
import { ScrollArea } from "./scroll-area.tsx";
import { ToolProgress } from "./tool-progress.tsx";

const STATES: Record<Run["state"], string> = {
  writing: "Streaming input",
  running: "Running",
  done: "Answered",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The result as the model reads it, next to the view. */
export function ResultPanel({ host, run }: { host: DevHost; run: Run }): ReactNode {
  const { result, error, state, elapsed } = run;
  const { hasResult } = useFields(host.layout, "hasResult");
  const [isRaw, setRaw] = useState(false);
  const isError = state === "failed" || result?.isError === true;
  return (
    <section className="result" aria-label="Result">
      <header>
        <h2>
          <button
            type="button"
            className="fold"
            aria-expanded={hasResult}
            onClick={() => host.layout.set({ hasResult: !hasResult })}
          >
            <Icon name="chevron" />
            Result
          </button>
        </h2>
        <span className="quiet" data-error={isError}>
          {isError && state === "done" ? "The tool returned an error" : STATES[state]}
          {elapsed !== undefined && ` in ${formatTime(elapsed)}`}
        </span>
        {run.scenario && <span className="quiet">Mock, not from the server</span>}
        <ToolProgress run={run} />
        <span className="gap" />
        {result && hasResult && (
          <button
            type="button"
            className="plain small"
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
          >
            JSON
          </button>
        )}
      </header>
      {hasResult && (
        <ScrollArea className="words" label="Result text">
          {error && <p className="trouble">{error}</p>}
          {result && (isRaw ? <JsonTree value={result} /> : <Texts result={result} />)}
        </ScrollArea>
      )}
    </section>
  );
}

function Texts({ result }: { result: CallToolResult }): ReactNode {
  const blocks = result.content ?? [];
  if (blocks.length === 0)
    return <p className="empty">No text: hosts without views show nothing.</p>;
  return blocks.map((block, index) =>
    block.type === "text" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names and never move.
      <pre key={index}>{block.text}</pre>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <p key={index} className="quiet">
        {block.type}
      </p>
    ),
  );
}
