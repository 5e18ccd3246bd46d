import { headers, type MsgHdrs } from "@nats-io/nats-core";

/** Why a key has no value any more. */
export type Gone = "deleted" | "expired";

/** Reads the marker of a deleted or expired key; `undefined` for a value. */
export function goneOf(hdrs: MsgHdrs | undefined): Gone | undefined {
  if (!hdrs) return undefined;
  if (hdrs.get("Nats-Marker-Reason") === "MaxAge") return "expired";
  const operation = hdrs.get("KV-Operation");
  return operation || hdrs.get("Nats-Marker-Reason") ? "deleted" : undefined;
}

/** Whether a stored message's headers, as JetStream encodes them, mark a key that is gone. */
export function isMark(encoded: string | undefined): boolean {
  if (!encoded) return false;
  const text = Buffer.from(encoded, "base64").toString("latin1");
  return /^(KV-Operation|Nats-Marker-Reason):/im.test(text);
}

/** The headers of a write. */
export function writeHeaders(options: {
  /** The expected sequence of the key; any if left out. */
  at?: number | undefined;
  seconds?: number | undefined;
  isDelete?: boolean;
}): MsgHdrs | undefined {
  const { at, seconds, isDelete } = options;
  if (at === undefined && seconds === undefined && !isDelete) return undefined;
  const hdrs = headers();
  if (at !== undefined) hdrs.set("Nats-Expected-Last-Subject-Sequence", String(at));
  if (seconds !== undefined) hdrs.set("Nats-TTL", `${seconds}s`);
  if (isDelete) hdrs.set("KV-Operation", "DEL");
  return hdrs;
}
