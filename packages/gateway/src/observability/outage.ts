import type { UpstreamError, UpstreamErrorCode } from "../upstreams/upstream.ts";
import type { Log } from "./log.ts";

// Failures that concern the server rather than a single request.
const OUTAGES: ReadonlySet<UpstreamErrorCode> = new Set([
  "unreachable",
  "timeout",
  "malformed",
  "crashed",
  "breaker-open",
  "outcome-unknown",
]);
const LONGEST = 1000;

/** Whether a failure means that the server has a problem. */
export function isOutage(code: UpstreamErrorCode): boolean {
  return OUTAGES.has(code);
}

/** Logs once when a server stops responding, with the known cause, and once when it responds again. */
export function outageLog(server: string, log: Log): (failure: UpstreamError | undefined) => void {
  let isOut = false;
  return (failure) => {
    if (failure && !isOutage(failure.code)) return;
    if (failure && !isOut) {
      const { status, stderr, cause } = failure.facts;
      const facts = {
        ...{ server, code: failure.code, reason: failure.message, status },
        ...(cause !== undefined && { cause: `${cause}`.slice(0, LONGEST) }),
        // The last lines on stderr are often the only hint at the cause.
        ...(stderr && { stderr: stderr.slice(-LONGEST) }),
      };
      log.warn(facts, "server isn't responding");
    } else if (!failure && isOut) log.info({ server }, "server is responding again");
    isOut = failure !== undefined;
  };
}
