// Compares two sessions: are the messages between view and host the same? Ids and times are ignored,
// and so are messages that depend on the window's size or the machine's speed; senders, receivers and
// contents are not.

import type { Party, RecordedFrame, Recording } from "./recording.ts";

/** The first difference between two recordings. */
export interface Difference {
  /** Which view, from 1. */
  view: number;
  from: Party;
  /** Which of its messages, from 1. */
  index: number;
  recorded: string | undefined;
  now: string | undefined;
  /** The whole difference in a sentence or two. */
  words: string;
}

type Message = {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
};
type Conversation = Record<"view" | "host", string[]>;

// Layout, health and teardown: their number depends on pixels and milliseconds.
const PASSING = new Set([
  "ui/notifications/size-changed",
  "ui/notifications/host-context-changed",
  "ui/notifications/tool-input-partial",
  "ui/resource-teardown",
  "ping",
]);

// These differ between screens or calls; so does the address of a page, which may contain its hash.
const VOLATILE = new Set([
  "containerDimensions",
  "userAgent",
  "progressToken",
  "viewUUID",
  "resourceUri",
  "ui/resourceUri",
]);

/** The first difference between the messages of view and host; nothing if there is none. */
export function compareRecordings(
  before: Pick<Recording, "frames">,
  after: Pick<Recording, "frames">,
): Difference | undefined {
  const recorded = conversationsOf(before.frames);
  const played = conversationsOf(after.frames);
  for (let view = 0; view < Math.max(recorded.length, played.length); view++) {
    // Each side separately: the order of simultaneous messages is random.
    for (const from of ["view", "host"] as const) {
      const difference = firstDifference(recorded[view]?.[from] ?? [], played[view]?.[from] ?? []);
      if (difference) return worded({ view: view + 1, from, ...difference });
    }
  }
  return undefined;
}

/** How many messages of a recording are compared. */
export function comparedMessages({ frames }: Pick<Recording, "frames">): number {
  return conversationsOf(frames).reduce(
    (sum, { view, host }) => sum + view.length + host.length,
    0,
  );
}

function conversationsOf(frames: readonly RecordedFrame[]): Conversation[] {
  const lives = new Map<number, Conversation>();
  // Requests by their receiver: a response is identified by its request, not by its id.
  const asked = new Map<string, string>();
  for (const { from, to, view = 0, message } of frames) {
    if (from === "server" || to === "server") continue;
    const life = lives.get(view) ?? { view: [], host: [] };
    lives.set(view, life);
    const text = sentence(message as Message, {
      remember: (id, method) => asked.set(`${view} ${to} ${id}`, method),
      recall: (id) => asked.get(`${view} ${from} ${id}`),
    });
    if (text !== undefined) life[from].push(text);
  }
  return [...lives.entries()].sort(([a], [b]) => a - b).map(([, life]) => life);
}

interface Memory {
  remember(id: string, method: string): void;
  recall(id: string): string | undefined;
}

function sentence(message: Message, memory: Memory): string | undefined {
  const { id, method, params, result, error } = message;
  const key = JSON.stringify(id) ?? "";
  if (typeof method === "string") {
    if (id !== undefined) memory.remember(key, method);
    return PASSING.has(method) ? undefined : `${method} ${stable(params ?? {})}`;
  }
  const answered = memory.recall(key) ?? "an unknown request";
  if (PASSING.has(answered)) return undefined;
  return error === undefined
    ? `answer to ${answered} ${stable(result)}`
    : `error to ${answered} ${stable(error)}`;
}

/** JSON in a fixed order, without values that differ between screens. */
function stable(value: unknown): string {
  return JSON.stringify(value, (key, member) => {
    if (VOLATILE.has(key)) return undefined;
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function firstDifference(
  recorded: readonly string[],
  now: readonly string[],
): Pick<Difference, "index" | "recorded" | "now"> | undefined {
  for (let at = 0; at < Math.max(recorded.length, now.length); at++) {
    if (recorded[at] !== now[at]) return { index: at + 1, recorded: recorded[at], now: now[at] };
  }
  return undefined;
}

const NAMES: Record<Party, string> = { view: "the view", host: "the host", server: "the server" };

function worded(difference: Omit<Difference, "words">): Difference {
  const { view, from, index, recorded, now } = difference;
  const [was, is] = excerpts(recorded, now);
  return {
    ...difference,
    words: `Message ${index} of ${NAMES[from]} in View ${view} differs.\n  recorded: ${was}\n  now:      ${is}`,
  };
}

const SHOWN = 160;
const CONTEXT = 40;

/** Both as far as they fit, around the first difference. */
function excerpts(recorded: string | undefined, now: string | undefined): [string, string] {
  const nothing = "nothing";
  if (recorded === undefined || now === undefined) {
    return [recorded?.slice(0, SHOWN) ?? nothing, now?.slice(0, SHOWN) ?? nothing];
  }
  let parting = 0;
  while (recorded[parting] === now[parting]) parting++;
  const begin = Math.max(parting - CONTEXT, 0);
  const cut = (text: string): string => {
    const name = text.slice(0, text.indexOf(" ", 10));
    const part = text.slice(begin, begin + SHOWN);
    return begin > name.length ? `${name} … ${part}` : text.slice(0, SHOWN);
  };
  return [cut(recorded), cut(now)];
}
