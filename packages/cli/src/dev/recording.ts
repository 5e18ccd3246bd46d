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
  /** A click inside the view. It can't be observed from outside, so add it to the file manually. */
  | { at: number; kind: "click"; selector: string };

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

/** Parses a recording. Throws an error that names the first problem. */
export function parseRecording(text: string): Recording {
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
  if (!Array.isArray(inputs) || !inputs.every(isInput))
    throw new Error('one of its "inputs" is neither a run nor a click');
  if (!Array.isArray(frames) || !frames.every(isFrame))
    throw new Error('one of its "frames" has no sender, receiver and message');
  return value as Recording;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

function isInput(value: unknown): boolean {
  const { kind, tool, selector, arguments: given } = fieldsOf(value) ?? {};
  if (kind === "click") return typeof selector === "string";
  return kind === "run" && typeof tool === "string" && fieldsOf(given) !== undefined;
}

const PARTIES: readonly unknown[] = ["view", "host", "server"];

function isFrame(value: unknown): boolean {
  const { from, to, message } = fieldsOf(value) ?? {};
  return PARTIES.includes(from) && PARTIES.includes(to) && fieldsOf(message) !== undefined;
}
