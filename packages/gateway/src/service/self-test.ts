import { hasEscapedKeyBug } from "../json-rpc/escaped-key-bug.ts";
import type { Log } from "../observability/log.ts";

/** Checks the JavaScript engine at start and warns the operator about what it finds. */
export function runSelfTest(
  log: Pick<Log, "warn">,
  hasBug: () => boolean = hasEscapedKeyBug,
): void {
  if (!hasBug()) return;
  // The gateway sends the value it parsed, so it is safe. Servers on the same engine may not be.
  log.warn(
    { node: process.version },
    "this version of Node.js misreads some escaped JSON keys (nodejs/node issue 63785); the gateway isn't affected, but upgrade Node.js where your own servers run",
  );
}
