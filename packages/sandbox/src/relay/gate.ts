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

/** A message as it may go on, or the reason it may not. */
export type Verdict = { message: object } | { refusal: Refusal };

/** Whether a message is for Sandbox and Host alone, and so relayed in neither direction (SBX-12). */
export function isReserved(message: unknown): boolean {
  if (WITHOUT === "prefix") return false;
  const { method } = Object(message) as Envelope;
  return typeof method === "string" && method.startsWith(SANDBOX_METHOD_PREFIX);
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

interface Bounds {
  depth: number;
  values: number;
  size: number;
}

function boundsFor(method: string | undefined, limits: RelayLimits): Bounds {
  const { depth, values, message, download } = limits;
  if (WITHOUT === "size") return { depth, values: Infinity, size: Infinity };
  return { depth, values, size: method === DOWNLOAD_FILE_METHOD ? download : message };
}

/**
 * What is left of a message after JSON: no cycles, maps, blobs or file handles, which a Host would
 * hold without knowing, and nothing whose size it would only learn by reading it.
 */
function rebuild(data: object, bounds: Bounds): Verdict {
  if (WITHOUT === "round-trip") return { message: data };
  // The copy comes first since it stops at the bounds: an array of 2³² holes is short to send, and
  // `JSON.stringify` alone would write all of them out.
  const copy = copyJson(data, bounds);
  if (!copy.ok) return { refusal: copy.code };
  const text = JSON.stringify(copy.value);
  // Exact this time: escapes can make a string six times as long.
  if (text.length > bounds.size) return { refusal: "too-large" };
  return { message: JSON.parse(text) };
}
