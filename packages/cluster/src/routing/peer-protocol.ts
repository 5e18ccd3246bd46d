import type { Head } from "./envelope.ts";

/** A request to another process. */
export interface PeerRequest extends Pick<Head, "op" | "server" | "key" | "revision" | "deadline"> {
  body: string;
}

/** Operations of the RPC itself; all others belong to servers. */
export const RESPONSE = "=";
export const FAILURE = "!";
export const CHUNK = "+";
export const NEXT_CHUNK = "-";
export const NOTIFY = "notify-caller";
export const CANCEL = "cancel";
export const RUNNING = "running";
export const EVENT = "news";

/** The response was lost, or its process is gone: the request may or may not have been carried out. */
export class LostResponseError extends Error {
  override name = "LostResponseError";
}
