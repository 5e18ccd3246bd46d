// A program that acts like a gateway with a child process. Five times a second it extends its lease by two
// seconds, until it is stopped. On the input "quiet" it stops extending the lease, but keeps running.

import { beatGuard } from "../../../gateway/src/upstreams/stdio/orphan-guard.ts";
import { createStdioUpstream } from "../../../gateway/src/upstreams/stdio-upstream.ts";
import { resultOf, toolCall } from "../../../gateway/test/upstreams/calls.ts";

const [program = "", ...args] = process.argv.slice(2);
const upstream = createStdioUpstream({ id: "s", argv: [program, ...args, "modern"] });
const { pid } = resultOf(await upstream.send(toolCall("echo")));
const beating = setInterval(() => beatGuard(2000), 200);
process.stdout.write(`${pid}\n`);
process.stdin.on("data", (data) => {
  if (`${data}`.includes("quiet")) clearInterval(beating);
});
