import { parseJson } from "../json-rpc/parse.ts";
import type { Admitted } from "../pipeline/admission.ts";
import type { Exchange } from "../pipeline/exchange.ts";

/** An exchange before any link has seen it. */
export function blank(
  { caller, server }: Admitted,
  given: Pick<Exchange, "carrier" | "message" | "size" | "headers" | "signal" | "notify">,
): Exchange {
  const { carrier, message, size, headers, signal, notify } = given;
  return {
    carrier,
    caller,
    server,
    message,
    size,
    headers,
    signal,
    // The first link reads the frame; until then there is none to answer to.
    frame: undefined as unknown as Exchange["frame"],
    isModern: false,
    notify,
    releases: [],
  };
}

/** Parses a caller's text, once: everything after works on this value. */
export function readMessage(text: string): Pick<Exchange, "message" | "size"> {
  try {
    return { message: parseJson(text), size: text.length };
  } catch {
    return { message: undefined, size: text.length };
  }
}
