// The timeline as data: which response belongs to which request, how long it took, and which rows
// match a filter.

import type { Party, RecordedFrame } from "../../src/dev/recording.ts";

/** The type of a message. */
export type RowKind = "request" | "answer" | "error" | "notification";

/** One row of the timeline. */
export interface TimelineRow {
  /** From 0, in the order of arrival. */
  index: number;
  /** Milliseconds since the recording started. */
  at: number;
  from: Party;
  to: Party;
  view?: number | undefined;
  kind: RowKind;
  /** For a response, the method of its request. */
  method: string;
  id?: string | undefined;
  /** Milliseconds from the request to this response. */
  elapsed?: number | undefined;
  /** The row of the request or of its response. */
  partner?: number | undefined;
  /** Characters of JSON. */
  size: number;
  message: unknown;
}

/** The filter. */
export interface TimelineFilter {
  /** Terms that must all occur, in method or JSON, ignoring case. */
  search: string;
  side: "all" | "view" | "server";
  /** Also shows messages that are rarely of interest. */
  noise: boolean;
  errors: boolean;
}

/** Everything, without the noise. */
export const EVERYTHING: TimelineFilter = { search: "", side: "all", noise: false, errors: false };

const NOISE = new Set([
  "ping",
  "ui/notifications/size-changed",
  "ui/notifications/host-context-changed",
]);
// A limit for the page; then the oldest are dropped.
const MOST = 20_000;

type Message = { id?: unknown; method?: unknown; result?: unknown; error?: unknown };

/** All rows in order, and the pending requests. */
export interface TimelineModel {
  readonly rows: readonly TimelineRow[];
  add(frame: RecordedFrame, size?: number): TimelineRow;
  clear(): void;
}

/** Starts empty. */
export function createTimelineModel(): TimelineModel {
  const rows: TimelineRow[] = [];
  let next = 0;
  const open = new Map<string, TimelineRow>();

  return {
    rows,
    add: (frame, size) => {
      const { at, from, to, view, message } = frame;
      const { id, method } = message as Message;
      const key = (asker: Party): string => `${asker} ${view ?? ""} ${JSON.stringify(id)}`;
      const asked = typeof method === "string" ? undefined : open.get(key(to));
      const row: TimelineRow = {
        index: next++,
        at,
        from,
        to,
        view,
        kind: kindOf(message as Message),
        method: typeof method === "string" ? method : (asked?.method ?? "unexpected response"),
        id: id === undefined ? undefined : String(id),
        size: size ?? JSON.stringify(message).length,
        message,
      };
      if (row.kind === "request") open.set(key(from), row);
      if (asked) {
        open.delete(key(to));
        asked.partner = row.index;
        row.partner = asked.index;
        row.elapsed = at - asked.at;
      }
      // The server's messages arrive later than the view's.
      rows.splice(rows.findLastIndex((other) => other.at <= at) + 1, 0, row);
      if (rows.length > MOST) rows.splice(0, MOST / 10);
      return row;
    },
    clear: () => {
      rows.length = 0;
      next = 0;
      open.clear();
    },
  };
}

function kindOf({ id, method, result, error }: Message): RowKind {
  if (typeof method === "string") return id === undefined ? "notification" : "request";
  // A tool's own failure is in its result.
  return error !== undefined || Object(result).isError === true ? "error" : "answer";
}

/** The rows that match a filter. */
export function filterRows(rows: readonly TimelineRow[], filter: TimelineFilter): TimelineRow[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (!filter.noise && NOISE.has(row.method)) return false;
    if (filter.errors && row.kind !== "error") return false;
    if (filter.side !== "all" && row.from !== filter.side && row.to !== filter.side) return false;
    if (words.length === 0) return true;
    const text = `${row.method} ${row.from} ${row.to}`.toLowerCase();
    if (words.every((word) => text.includes(word))) return true;
    const all = `${text} ${JSON.stringify(row.message).toLowerCase()}`;
    return words.every((word) => all.includes(word));
  });
}

/** The visible rows, and a few around them. */
export function visibleRange(
  {
    count,
    height,
    rowHeight,
    scrollTop,
  }: { count: number; height: number; rowHeight: number; scrollTop: number },
  around = 8,
): { begin: number; end: number } {
  const begin = Math.max(0, Math.floor(scrollTop / rowHeight) - around);
  return { begin, end: Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + around) };
}

/** 950 B, 1.2 kB, 3.4 MB. */
export function formatSize(characters: number): string {
  if (characters < 1000) return `${characters} B`;
  const [value, unit] = characters < 1e6 ? [characters / 1000, "kB"] : [characters / 1e6, "MB"];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** 0.4 ms, 12 ms, 1.24 s. */
export function formatTime(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(2)} s`;
}
