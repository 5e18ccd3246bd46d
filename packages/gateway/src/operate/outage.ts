import type { UpstreamError, UpstreamErrorCode } from "../upstreams/upstream.ts";
import type { Log } from "./log.ts";

// What says something about the server rather than about one request.
const OUTAGES: ReadonlySet<UpstreamErrorCode> = new Set([
  "unreachable",
  "timeout",
  "malformed",
  "crashed",
  "breaker-open",
  "outcome-unknown",
]);
const LONGEST = 1000;

/** Whether a failure means that the server is not well. */
export function isOutage(code: UpstreamErrorCode): boolean {
  return OUTAGES.has(code);
}

/** Says once when a server stops answering, with all that is known of why, and once when it answers again. */
export function outageLog(server: string, log: Log): (failure: UpstreamError | undefined) => void {
  let isOut = false;
  return (failure) => {
    if (failure && !isOutage(failure.code)) return;
    if (failure && !isOut) {
      const { status, stderr, cause } = failure.facts;
      const facts = {
        ...{ server, code: failure.code, reason: failure.message, status },
        ...(cause !== undefined && { cause: `${cause}`.slice(0, LONGEST) }),
        // What a program says before it gives up is often the only hint.
        ...(stderr && { stderr: stderr.slice(-LONGEST) }),
      };
      log.warn(facts, "server does not answer");
    } else if (!failure && isOut) log.info({ server }, "server answers again");
    isOut = failure !== undefined;
  };
}
