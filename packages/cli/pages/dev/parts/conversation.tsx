import type { ReactNode } from "react";
import { useStore } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";
import type { TimelineRow } from "../timeline-model.ts";
import { JsonTree } from "./json-tree.tsx";
import { ScrollArea } from "./scroll-area.tsx";

const KINDS: Record<string, string> = {
  "ui/update-model-context": "Updates model context",
  "ui/message": "Sends a chat message",
  "sampling/createMessage": "Asks a model",
  "ui/open-link": "Opens a link",
  "ui/download-file": "Downloads",
  "ui/request-display-mode": "Changes display mode",
};

/** The view's requests to model, chat and user, and whether they were allowed. */
export function Conversation({ host }: { host: DevHost }): ReactNode {
  useStore(host.timeline);
  const { rows } = host.timeline;
  const answers = new Map(rows.map((row) => [row.partner, row]));
  const asked = rows.filter(
    ({ kind, from, method }) => kind === "request" && from === "view" && method in KINDS,
  );
  const known = host.stage.host?.modelContext.snapshot() ?? [];
  return (
    <ScrollArea className="conversation" label="Model and messages">
      <h2>Model context of the view</h2>
      {known.length === 0 ? (
        <p className="empty">Empty</p>
      ) : (
        known.map((entry) => <JsonTree key={entry.key} value={entry} open={4} />)
      )}
      <h2>Requests of the view, newest first</h2>
      {asked.length === 0 && <p className="empty">None</p>}
      {asked.toReversed().map((row) => (
        <Asked key={row.index} row={row} answer={answers.get(row.index)} />
      ))}
    </ScrollArea>
  );
}

function Asked({ row, answer }: { row: TimelineRow; answer: TimelineRow | undefined }): ReactNode {
  const { params } = row.message as { params?: unknown };
  const outcome = answer ? (answer.kind === "error" ? "refused" : "done") : "waiting";
  return (
    <article data-outcome={outcome}>
      <h3>
        {KINDS[row.method]} <span>{outcome}</span>
      </h3>
      <JsonTree value={params ?? {}} open={4} />
      {answer?.kind === "error" && (
        <JsonTree value={(answer.message as { error?: unknown }).error} />
      )}
    </article>
  );
}
