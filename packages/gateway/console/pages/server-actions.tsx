import type { JSX } from "preact";
import { change } from "../api.ts";
import type { ServerRow } from "../api-types.ts";
import { counted } from "../format.ts";
import { ActionButton } from "../parts/action-button.tsx";
import type { Question } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";
import { visibleText } from "../visible-text.ts";

/** Check now, pause and resume, in the inventory and on a server's page. */
export function ServerActions({
  server,
  ask,
  onDone,
  isSmall = false,
}: {
  server: ServerRow;
  ask(question: Question): void;
  onDone(): Promise<void>;
  isSmall?: boolean;
}): JSX.Element {
  const { id, state, views, calls } = server;
  const kind = isSmall ? "small" : "";
  const path = `/api/servers/${encodeURIComponent(id)}`;
  const name = visibleText(id);
  const pause: Question = {
    title: `Pause ${name}?`,
    confirm: "Pause",
    reason: {
      label: "Reason",
      help: "Shown to users whose calls are refused, and kept in the audit log.",
      isRequired: true,
    },
    body: (
      <ul class="effects">
        <li>
          New calls to <Text value={id} /> are refused on every gateway.
        </li>
        <li>
          {calls > 0
            ? `${counted(calls, "call")} that run now go on to their end.`
            : "No call runs now."}
        </li>
        {views > 0 && <li>{counted(views, "open view")} can't call its tools until you resume.</li>}
      </ul>
    ),
    act: async (reason) => {
      await change(`${path}/pause`, { reason });
      return `${name} is paused.`;
    },
  };
  return (
    <div class="actions">
      <ActionButton
        kind={kind}
        label={`Check ${name} now`}
        act={async () => {
          await change(`${path}/check`);
          await onDone();
          return `${name} was checked.`;
        }}
      >
        <Icon name="refresh" />
        Check
      </ActionButton>
      {state === "paused" ? (
        <ActionButton
          kind={kind}
          label={`Resume ${name}`}
          act={async () => {
            await change(`${path}/resume`);
            await onDone();
            return `${name} accepts calls again.`;
          }}
        >
          <Icon name="play" />
          Resume
        </ActionButton>
      ) : (
        <button type="button" class={kind} aria-label={`Pause ${name}`} onClick={() => ask(pause)}>
          <Icon name="pause" />
          Pause
        </button>
      )}
    </div>
  );
}
