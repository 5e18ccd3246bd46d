import { memo, type ReactNode } from "react";
import type { Party } from "../../../src/dev/recording.ts";
import { formatSize, formatTime, type RowKind, type TimelineRow } from "../timeline-model.ts";

/** Pixels; the same as in the style sheet. */
export const ROW_HEIGHT = 26;

const NAMES: Record<Party, string> = { view: "View", host: "Host", server: "Server" };
const MARKS: Record<RowKind, string> = { request: "", answer: "↩", error: "✕", notification: "" };
const KINDS: Record<RowKind, string> = {
  request: "request",
  answer: "answer",
  error: "error",
  notification: "notification",
};

/** One message as a row. */
export const TrafficRow = memo(function TrafficRow({
  row,
  top,
  position: [place, count],
  isChosen,
  isPartner,
  onChoose,
}: {
  row: TimelineRow;
  top: number;
  position: [place: number, count: number];
  isChosen: boolean;
  isPartner: boolean;
  onChoose(row: TimelineRow): void;
}): ReactNode {
  const { at, from, to, method, kind, id, elapsed, size, index } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus.
    <div
      className="row"
      role="option"
      id={`message-${index}`}
      aria-selected={isChosen}
      aria-posinset={place}
      aria-setsize={count}
      data-kind={kind}
      data-partner={isPartner}
      style={{ insetBlockStart: top }}
      onClick={() => onChoose(row)}
    >
      <span className="at">{(at / 1000).toFixed(3)}</span>
      <span className="way" data-from={from}>
        {NAMES[from]}
        <i aria-hidden="true">→</i>
        {NAMES[to]}
      </span>
      <span className="method" title={`${KINDS[kind]} ${method}`}>
        {MARKS[kind] && <b aria-hidden="true">{MARKS[kind]}</b>}
        <Method name={method} />
      </span>
      <span className="id">{id !== undefined && `#${id}`}</span>
      <span className="elapsed" data-slow={elapsed !== undefined && elapsed > 1000}>
        {elapsed !== undefined && formatTime(elapsed)}
      </span>
      <span className="size">{formatSize(size)}</span>
    </div>
  );
});

/** People recognise a method by its last part. */
function Method({ name }: { name: string }): ReactNode {
  const cut = name.lastIndexOf("/") + 1;
  return (
    <span className="name">
      <span className="path">{name.slice(0, cut)}</span>
      <span className="last">{name.slice(cut)}</span>
    </span>
  );
}
