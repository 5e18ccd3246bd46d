import type { ReactNode } from "react";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import { problemsOf } from "../problem-list.ts";
import { formatTime } from "../timeline-model.ts";
import { Place } from "./place.tsx";
import { ScrollArea } from "./scroll-area.tsx";

/** Problems, their causes and fixes, from the host and the sandbox. */
export function Problems({ host }: { host: DevHost }): ReactNode {
  const { reasons, problems, diagnostics, blocked, notes, probes, count } = problemsOf(
    useFields(host.state, "diagnostics", "blocked", "reasons", "problems"),
  );
  const asides = notes.length + (probes > 0 ? 1 : 0);
  return (
    <ScrollArea className="problems" label="All problems">
      {count + reasons.length + problems.length === 0 && (
        <p className="empty">No problems found in this view.</p>
      )}
      {problems.map(({ level, title, cause, place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at the end.
        <article key={index} data-level={level}>
          <h2>{title}</h2>
          <p>{cause}</p>
          {place && <Place place={place} />}
        </article>
      ))}
      {reasons.map(({ code, cause, remedy, line, place }) => (
        <article key={cause} data-level="error">
          <h2>Why nothing is visible</h2>
          <p className="facts">
            <code>{code}</code>
            {line !== undefined && !place && ` at line ${line} of the page`}
          </p>
          <p>{cause}</p>
          <p className="remedy">
            <b>Fix:</b> {remedy}
          </p>
          {place && <Place place={place} />}
        </article>
      ))}
      {diagnostics.map(({ level, stage, code, elapsed, title, cause, remedy }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only grow at the end.
        <article key={index} data-level={level}>
          <h2>{title}</h2>
          <p className="facts">
            <code>{code}</code> at stage {stage}, after {formatTime(elapsed)}
          </p>
          <p>{cause}</p>
          <p className="remedy">
            <b>Fix:</b> {remedy}
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
      {asides > 0 && (
        <details className="notes">
          <summary>{asides === 1 ? "1 note" : `${asides} notes`}</summary>
          {probes > 0 && (
            <article data-level="info">
              <h2>A library tested whether it may run text as code.</h2>
              <p className="facts">
                <code>script-src</code>
              </p>
              <p>
                It was refused and goes on without, as zod does. Nothing to do; each strict Host
                refuses it.
              </p>
            </article>
          )}
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
