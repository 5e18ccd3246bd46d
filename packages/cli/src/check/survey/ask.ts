import { type Json, oneLine } from "../json.ts";

/** A request whose answer nobody has parsed on the way: that is what is judged. */
export type Ask = (method: string, params?: Json) => Promise<Json>;

/** The words of an error that a server answered with. */
export function wordsOfError(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error), 160);
}
