import { copyJson, DOWNLOAD_FILE_METHOD, SANDBOX_METHOD_PREFIX } from "@vitrine/protocol/apps";
import type { RelayLimits } from "./page-settings.ts";

/** Why a message of a View goes no further. */
export type Refusal =
  | "not-json-rpc"
  | "not-json"
  | "too-deep"
  | "too-many-values"
  | "too-large"
  | "unreadable"
  | "reserved-method"
  | "method-not-allowed";

/** What the relay reads of a message; all else is the Host's to judge. */
interface Envelope {
  jsonrpc?: unknown;
  method?: unknown;
}

/** A message as it may go on, in JSON, or the reason it may not. */
export type Verdict = { text: string } | { refusal: Refusal };

// How JSON can hide the prefix: any of its characters as an escape, and a slash by itself.
const HIDDEN = /\\(?:\/|u00[2-7])/;

/**
 * Whether a message is for Sandbox and Host alone, and so relayed in neither direction (SBX-12). Text
 * is read as the View will read it, but only if a method could be hidden there: it may be long.
 */
export function isReserved(message: unknown): boolean {
  if (WITHOUT === "prefix") return false;
  if (typeof message === "string") {
    return (
      (message.includes(SANDBOX_METHOD_PREFIX) || HIDDEN.test(message)) &&
      isReserved(readObject(message))
    );
  }
  const { method } = Object(message) as Envelope;
  return typeof method === "string" && method.startsWith(SANDBOX_METHOD_PREFIX);
}

/** What a text says; for what is no JSON, something that is not relayed. */
function readObject(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return { method: SANDBOX_METHOD_PREFIX };
  }
}

/**
 * Judges what a View sent. Unknown methods, answers and errors pass (SBX-11): the Host refuses what
 * it does not know, and the relay only sees to it that to read the message cannot hurt it.
 */
export function judge(data: unknown, limits: RelayLimits): Verdict {
  if (Object.prototype.toString.call(data) !== "[object Object]") {
    return { refusal: "not-json-rpc" };
  }
  const { jsonrpc, method } = data as Envelope;
  // A method that is no string could look like another one to a Host that compares loosely.
  if (jsonrpc !== "2.0" || (method !== undefined && typeof method !== "string")) {
    return { refusal: "not-json-rpc" };
  }
  if (isReserved(data)) return { refusal: "reserved-method" };
  if (limits.methods && method !== undefined && !limits.methods.includes(method)) {
    return { refusal: "method-not-allowed" };
  }
  return rebuild(data as object, boundsFor(method, limits));
}

/** How much of one message is relayed. */
interface Bounds {
  depth: number;
  values: number;
  size: number;
}

/** The bounds of a message; only files may be larger than the rest. */
export function boundsFor(method: unknown, limits: RelayLimits): Bounds {
  const { depth, values, message, download } = limits;
  if (WITHOUT === "size") return { depth, values: Infinity, size: Infinity };
  return { depth, values, size: method === DOWNLOAD_FILE_METHOD ? download : message };
}

/**
 * What is left of a message after JSON: no cycles, maps, blobs or file handles, which a Host would
 * hold without knowing, and nothing whose size it would only learn by reading it.
 */
function rebuild(data: object, bounds: Bounds): Verdict {
  if (WITHOUT === "round-trip") return { text: data as never };
  // The copy comes first since it stops at the bounds: an array of 2³² holes is short to send, and
  // `JSON.stringify` alone would write all of them out.
  const copy = copyJson(data, bounds);
  if (!copy.ok) return { refusal: copy.code };
  const text = JSON.stringify(copy.value);
  // Exact this time: escapes can make a string six times as long.
  if (text.length > bounds.size) return { refusal: "too-large" };
  return { text };
}
