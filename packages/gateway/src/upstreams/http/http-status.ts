import { UpstreamError } from "../upstream.ts";
import type { Arrival } from "./round-trip.ts";

/** The error for a status without a JSON-RPC response. */
export function statusError({
  status,
  headers,
}: Pick<Arrival, "status" | "headers">): UpstreamError {
  const facts = { status, sent: true };
  if (status === 401 || status === 403) {
    const challenge = headers["www-authenticate"];
    return new UpstreamError(
      "unauthorized",
      `The server requires another credential (${status}).`,
      {
        ...facts,
        ...(challenge !== undefined && { challenge: `${challenge}` }),
      },
    );
  }
  if (status >= 300 && status < 400) {
    // The target wasn't checked, and the credentials are for the configured address only.
    const message = `The server redirects (${status}), which the gateway doesn't follow. Configure the new address.`;
    return new UpstreamError("refused-address", message, facts);
  }
  if (status === 413)
    return new UpstreamError("too-large", "The server rejected the request as too large.", facts);
  if (status === 429 || status === 503) {
    const retryAfter = Number(headers["retry-after"]) * 1000;
    // The server rejected the request, so it counts as not sent.
    return new UpstreamError(
      status === 429 ? "busy" : "unreachable",
      `The server is busy (${status}).`,
      {
        status,
        sent: false,
        ...(retryAfter >= 0 && { retryAfter }),
      },
    );
  }
  if (status >= 500)
    return new UpstreamError("unreachable", `The server failed (${status}).`, facts);
  return new UpstreamError(
    "malformed",
    `The server responded with ${status} and no message.`,
    facts,
  );
}
