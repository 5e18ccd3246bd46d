import { parseJson } from "../json-rpc/parse.ts";
import type { Exchange } from "../policy/exchange.ts";

/** Parses a caller's text once. All later steps use this value. */
export function readMessage(text: string): Pick<Exchange, "message" | "size"> {
  try {
    return { message: parseJson(text), size: text.length };
  } catch {
    return { message: undefined, size: text.length };
  }
}
