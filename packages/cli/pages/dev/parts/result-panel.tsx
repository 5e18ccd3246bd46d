import type { CallToolResult } from "@vitrine/protocol/apps";
import { type ReactNode, useState } from "react";
import type { Run } from "../dev-state.ts";
import { formatTime } from "../timeline-model.ts";
import { JsonTree } from "./json-tree.tsx";
import { ScrollArea } from "./scroll-area.tsx";

const STATES: Record<Run["state"], string> = {
  writing: "Streaming input",
  running: "Running",
  done: "Answered",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The result as the model reads it, next to the view. */
export function ResultPanel({ run }: { run: Run }): ReactNode {
  const { result, error, state, elapsed } = run;
  const [isRaw, setRaw] = useState(false);
  const isError = state === "failed" || result?.isError === true;
  return (
    <section className="result" aria-label="Result">
      <header>
        <h2>Result</h2>
        <span className="quiet" data-error={isError}>
          {isError && state === "done" ? "The tool returned an error" : STATES[state]}
          {elapsed !== undefined && ` in ${formatTime(elapsed)}`}
        </span>
        <span className="gap" />
        {result && (
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
      <ScrollArea className="words" label="Result text">
        {error && <p className="trouble">{error}</p>}
        {result && (isRaw ? <JsonTree value={result} /> : <Texts result={result} />)}
      </ScrollArea>
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
