import type { UpstreamError, UpstreamErrorCode } from "../upstreams/upstream.ts";
import { LineSampler } from "./line-sampler.ts";
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

/**
 * Logs once when a server stops responding, with the known cause, and once when it responds again. Failures of
 * single calls, such as a response that is too large or an address that isn't allowed, are logged with their
 * reason, the first few in a minute.
 */
export function outageLog(server: string, log: Log): (failure: UpstreamError | undefined) => void {
  const sampler = new LineSampler({
    each: 3,
    onMore: (code, more) => log.warn({ server, code, more }, "failed calls that aren't logged"),
  });
  let isOut = false;
  return (failure) => {
    if (failure && !isOutage(failure.code)) {
      if (sampler.take(failure.code)) log.warn(factsOf(server, failure), "call failed");
      return;
    }
    if (failure && !isOut) log.warn(factsOf(server, failure), "server isn't responding");
    else if (!failure && isOut) log.info({ server }, "server is responding again");
    isOut = failure !== undefined;
  };
}

function factsOf(server: string, failure: UpstreamError): object {
  const { status, stderr, cause } = failure.facts;
  return {
    ...{ server, code: failure.code, reason: failure.message, status },
    ...(cause !== undefined && { cause: `${cause}`.slice(0, LONGEST) }),
    // The last lines on stderr are often the only hint at the cause.
    ...(stderr && { stderr: stderr.slice(-LONGEST) }),
  };
}
