import type { ReactNode } from "react";
import type { DevHost } from "../dev-host.ts";
import { useStore } from "../store.ts";
import { formatTime } from "../timeline-model.ts";
import { ScrollArea } from "./scroll-area.tsx";

/** What went wrong, why, and what to do: the Host's word, and the Sandbox's. */
export function Problems({ host }: { host: DevHost }): ReactNode {
  const { diagnostics, blocked } = useStore(host.state);
  const shown = diagnostics.filter(({ level }) => level !== "info");
  const notes = diagnostics.filter(({ level }) => level === "info");
  return (
    <ScrollArea className="problems" label="All problems">
      {shown.length + blocked.length === 0 && (
        <p className="empty">Nothing is wrong with this View.</p>
      )}
      {shown.map(({ level, stage, code, elapsed, title, cause, remedy }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at the end.
        <article key={index} data-level={level}>
          <h2>{title}</h2>
          <p className="facts">
            <code>{code}</code> at stage {stage}, after {formatTime(elapsed)}
          </p>
          <p>{cause}</p>
          <p className="remedy">
            <b>What to do:</b> {remedy}
          </p>
        </article>
      ))}
      {blocked.map(({ kind, where, value, message, fix, resource }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        <article key={index} data-level="warning">
          <h2>
            {kind === "blocked"
              ? `Blocked by the policy: ${value}`
              : `Left out of the policy: ${value}`}
          </h2>
          <p className="facts">
            <code>{where}</code> of {resource}
          </p>
          <p>{message}</p>
          {fix && (
            <div className="fix">
              <code>{fix}</code>
              <button
                type="button"
                className="plain small"
                onClick={() => void navigator.clipboard?.writeText(fix)}
              >
                Copy
              </button>
            </div>
          )}
        </article>
      ))}
      {notes.length > 0 && (
        <details className="notes">
          <summary>{notes.length === 1 ? "1 note" : `${notes.length} notes`}</summary>
          {notes.map(({ code, title, cause }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <article key={index} data-level="info">
              <h2>{title}</h2>
              <p className="facts">
                <code>{code}</code>
              </p>
              <p>{cause}</p>
            </article>
          ))}
        </details>
      )}
    </ScrollArea>
  );
}
