import { copyJson, DOWNLOAD_FILE_METHOD, SANDBOX_METHOD_PREFIX } from "@vitrine/protocol/apps";
import type { RelayLimits } from "./page-settings.ts";

/** Why a message of a View is dropped. */
export type Refusal =
  | "not-json-rpc"
  | "not-json"
  | "too-deep"
  | "too-many-values"
  | "too-large"
  | "unreadable"
  | "reserved-method"
  | "method-not-allowed";

/** The members of a message that the relay reads; the Host checks the others. */
interface Envelope {
  jsonrpc?: unknown;
  method?: unknown;
}

/** A message to relay, as JSON, or the reason why it is dropped. */
export type Verdict = { text: string } | { refusal: Refusal };

// How JSON can hide the prefix: any of its characters as an escape, and a slash by itself.
const HIDDEN = /\\(?:\/|u00[2-7])/;

/**
 * Whether a message is reserved for Sandbox and Host, and so relayed in neither direction (SBX-12).
 * Text is parsed as the View would parse it, but only if it could contain such a method, because it
 * may be long.
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

/** The value of a JSON text; for other text, a value that isn't relayed. */
function readObject(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return { method: SANDBOX_METHOD_PREFIX };
  }
}

/**
 * Checks a View's message. Unknown methods, responses and errors pass (SBX-11): the Host rejects
 * unknown methods, and the relay only makes sure that the message is safe to read.
 */
export function judge(data: unknown, limits: RelayLimits): Verdict {
  if (Object.prototype.toString.call(data) !== "[object Object]") {
    return { refusal: "not-json-rpc" };
  }
  const { jsonrpc, method } = data as Envelope;
  // A method that isn't a string could equal another one in a Host that compares loosely.
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
 * A message as JSON, without cycles, maps, blobs or file handles that a Host would keep without
 * noticing, and with a known size.
 */
function rebuild(data: object, bounds: Bounds): Verdict {
  if (WITHOUT === "round-trip") return { text: data as never };
  // The copy comes first because it stops at the limits: an array of 2³² holes is short to send, and
  // `JSON.stringify` alone would write all of them out.
  const copy = copyJson(data, bounds);
  if (!copy.ok) return { refusal: copy.code };
  const text = JSON.stringify(copy.value);
  // Exact this time: escapes can make a string six times as long.
  if (text.length > bounds.size) return { refusal: "too-large" };
  return { text };
}
