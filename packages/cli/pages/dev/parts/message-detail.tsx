import type { ReactNode } from "react";
import { formatTime, type TimelineRow } from "../timeline-model.ts";
import { JsonTree } from "./json-tree.tsx";
import { ScrollArea } from "./scroll-area.tsx";

/** One message in full. */
export function MessageDetail({
  row,
  onPartner,
  onClose,
}: {
  row: TimelineRow;
  onPartner(index: number): void;
  onClose(): void;
}): ReactNode {
  const { method, partner, kind, elapsed, view } = row;
  return (
    <section className="detail" aria-label="Message">
      <header>
        <h2>{method}</h2>
        <span className="quiet">
          {kind}
          {view !== undefined && `, View ${view}`}
          {elapsed !== undefined && `, ${formatTime(elapsed)}`}
        </span>
        <span className="gap" />
        {partner !== undefined && (
          <button type="button" className="plain small" onClick={() => onPartner(partner)}>
            {kind === "request" ? "Answer" : "Request"}
          </button>
        )}
        <button
          type="button"
          className="plain small"
          onClick={() => void navigator.clipboard?.writeText(JSON.stringify(row.message, null, 2))}
        >
          Copy
        </button>
        <button type="button" className="plain small" onClick={onClose}>
          Close
        </button>
      </header>
      <ScrollArea className="whole" label="Message content">
        <JsonTree value={row.message} />
      </ScrollArea>
    </section>
  );
}
