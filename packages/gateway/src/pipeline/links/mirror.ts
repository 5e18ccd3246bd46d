import { argumentHeaders } from "../../upstreams/http/mirrored-headers.ts";
import type { Link } from "../pipeline.ts";
import { refuse } from "../refusal.ts";
import { headerOf } from "./envelope.ts";

/**
 * Arguments that a tool wants as headers too have to be there and to say the same: whatever stands before
 * the gateway may have decided by them. Other carriers and older clients send none; the gateway does.
 */
export const mirrorLink: Link = {
  name: "mirror",
  run: (exchange) => {
    const { frame, tool, carrier, isModern } = exchange;
    if (!tool || carrier !== "http" || !isModern) return undefined;
    const headers = argumentHeaders(frame.params, tool.inputSchema);
    for (const [name, value] of Object.entries(headers)) {
      if (headerOf(exchange, name) === headerOf({ headers: { [name]: value } }, name)) continue;
      return refuse(
        "header-mismatch",
        `The header ${name} and the arguments say different things.`,
      );
    }
    return undefined;
  },
};
