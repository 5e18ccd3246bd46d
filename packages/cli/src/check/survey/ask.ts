import { type Json, oneLine } from "../json.ts";

/** A request whose response isn't parsed on the way, because the raw response is checked. */
export type Ask = (method: string, params?: Json) => Promise<Json>;

/** The message of an error that a server returned. */
export function wordsOfError(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error), 160);
}
