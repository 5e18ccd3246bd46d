import { refuse } from "../../errors/refusal.ts";
import { argumentHeaders } from "../../upstreams/http/mirrored-headers.ts";
import type { PolicyCheck } from "../pipeline.ts";
import { headerOf } from "./meta.ts";

/**
 * Arguments that a tool wants repeated as headers must be present and equal, because a proxy in front of the
 * gateway may have decided by them. Other carriers and older clients don't send these headers; the gateway
 * adds them.
 */
export const mirroredHeadersCheck: PolicyCheck = {
  name: "mirror",
  run: (exchange) => {
    const { frame, tool, carrier, isModern } = exchange;
    if (!tool || carrier !== "http" || !isModern) return undefined;
    const headers = argumentHeaders(frame.params, tool.inputSchema);
    for (const [name, value] of Object.entries(headers)) {
      if (headerOf(exchange, name) === headerOf({ headers: { [name]: value } }, name)) continue;
      return refuse(
        "header-mismatch",
        `The header ${name} and the arguments don't match. Send the same value in both.`,
      );
    }
    return undefined;
  },
};
