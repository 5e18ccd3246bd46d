// The messages of a dev session, on both sides, as one JSON file: to view again, to share, or to
// replay as a test. Runs in the page and in the process.

/** The sender. */
export type Party = "view" | "host" | "server";

/** One message. */
export interface RecordedFrame {
  /** Milliseconds since the recording started. */
  at: number;
  from: Party;
  to: Party;
  /** Which load of a view's document, from 1; messages of the server have none. */
  view?: number;
  message: unknown;
}

/** The host context of the views. */
export type RecordedSettings = Record<string, unknown>;

/** A user's action. */
export type RecordedInput =
  | {
      at: number;
      kind: "run";
      tool: string;
      arguments: Record<string, unknown>;
      /** The input was streamed. */
      streaming?: boolean;
      settings?: RecordedSettings;
    }
  /** An answer to a question about something that the view wants to do. */
  | { at: number; kind: "consent"; about: string; allow: boolean }
  | RecordedAction;

/** How to find an element of a view again: by role and name, by test id, or else by its path. */
export interface RecordedTarget {
  role?: string;
  name?: string;
  testId?: string;
  css: string;
}

/** A user's action inside a view, as the agent in the view reports it. */
export interface RecordedAction {
  at: number;
  kind: "click" | "fill" | "press" | "select";
  /** A string is a CSS selector. */
  selector: string | RecordedTarget;
  /** The text, the key, or the selected options. */
  value?: string | string[];
}

/** The server that answered. */
export interface RecordedServer {
  name: string;
  era: "modern" | "legacy";
  version?: string;
  capabilities: object;
}

/** A session. */
export interface Recording {
  vitrine: "recording";
  version: 1;
  server: RecordedServer;
  inputs: RecordedInput[];
  frames: RecordedFrame[];
}

type Fields = Record<string, unknown>;

// A recording may come from somebody else. Larger ones aren't made here.
const LONGEST_FILE = 256 * 2 ** 20;
const MOST_INPUTS = 20_000;
const MOST_FRAMES = 200_000;
const LONGEST_SELECTOR = 2_000;
const LONGEST_VALUE = 10_000;

/** Parses a recording. Throws an error that names the first problem. */
export function parseRecording(text: string): Recording {
  if (text.length > LONGEST_FILE) throw new Error("it is too large");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error("it is not JSON", { cause });
  }
  const { vitrine, version, server, inputs, frames } = (fieldsOf(value) ?? {}) as Fields;
  if (vitrine !== "recording") throw new Error('it has no "vitrine": "recording"');
  if (version !== 1) throw new Error(`its version is ${JSON.stringify(version)} instead of 1`);
  if (typeof fieldsOf(server)?.name !== "string") throw new Error("it doesn't name a server");
  if (!Array.isArray(inputs) || inputs.length > MOST_INPUTS || !inputs.every(isInput))
    throw new Error('one of its "inputs" is neither a run nor an action of a user');
  if (!Array.isArray(frames) || frames.length > MOST_FRAMES || !frames.every(isFrame))
    throw new Error('one of its "frames" has no sender, receiver and message');
  return value as Recording;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

function isInput(value: unknown): boolean {
  const fields = fieldsOf(value) ?? {};
  const { kind, tool, about, allow, arguments: given } = fields;
  if (kind === "run") return typeof tool === "string" && fieldsOf(given) !== undefined;
  if (kind === "consent") return typeof about === "string" && typeof allow === "boolean";
  return isAction(fields);
}

function isAction({ kind, selector, value }: Fields): boolean {
  if (!isTarget(selector)) return false;
  if (kind === "click") return value === undefined;
  if (kind === "select")
    return Array.isArray(value) && value.length < 1_000 && value.every((one) => isShort(one));
  return (kind === "fill" || kind === "press") && isShort(value);
}

function isTarget(value: unknown): boolean {
  if (typeof value === "string") return value.length <= LONGEST_SELECTOR;
  const { css, role = "", name = "", testId = "" } = fieldsOf(value) ?? {};
  return [css, role, name, testId].every((one) => isShort(one, LONGEST_SELECTOR));
}

function isShort(value: unknown, longest = LONGEST_VALUE): value is string {
  return typeof value === "string" && value.length <= longest;
}

const PARTIES: readonly unknown[] = ["view", "host", "server"];

function isFrame(value: unknown): boolean {
  const { from, to, message } = fieldsOf(value) ?? {};
  return PARTIES.includes(from) && PARTIES.includes(to) && fieldsOf(message) !== undefined;
}
