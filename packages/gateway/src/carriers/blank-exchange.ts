import type { Admitted } from "../pipeline/admission.ts";
import type { Exchange } from "../pipeline/exchange.ts";

/** An exchange before any link has seen it. */
export function blank(
  { caller, server }: Admitted,
  given: Pick<Exchange, "carrier" | "text" | "headers" | "signal" | "notify">,
): Exchange {
  const { carrier, text, headers, signal, notify } = given;
  return {
    carrier,
    caller,
    server,
    text,
    message: parse(text),
    headers,
    signal,
    // The first link reads the frame; until then there is none to answer to.
    frame: undefined as unknown as Exchange["frame"],
    outbound: () => text,
    isModern: false,
    notify,
    releases: [],
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
