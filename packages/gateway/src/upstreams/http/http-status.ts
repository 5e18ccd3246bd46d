import { UpstreamError } from "../upstream.ts";
import type { Arrival } from "./round-trip.ts";

/** What a status means when no JSON-RPC answer came with it. */
export function statusError({
  status,
  headers,
}: Pick<Arrival, "status" | "headers">): UpstreamError {
  const facts = { status, sent: true };
  if (status === 401 || status === 403) {
    const challenge = headers["www-authenticate"];
    return new UpstreamError("unauthorized", `The server wants another credential (${status}).`, {
      ...facts,
      ...(challenge !== undefined && { challenge: `${challenge}` }),
    });
  }
  if (status >= 300 && status < 400) {
    // Where it points to was never checked, and the credentials were meant for this address.
    const message = `The server redirects (${status}), which is not followed; configure its new address.`;
    return new UpstreamError("refused-address", message, facts);
  }
  if (status === 413)
    return new UpstreamError("too-large", "The server found it too large.", facts);
  if (status === 429 || status === 503) {
    const retryAfter = Number(headers["retry-after"]) * 1000;
    // It was turned away, so nothing has happened: as if it had not been sent.
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
  return new UpstreamError("malformed", `The server answered ${status} without a message.`, facts);
}
