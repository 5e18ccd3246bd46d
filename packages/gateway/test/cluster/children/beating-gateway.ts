// A program: something like a gateway with a process, which says five times a second that its lease holds for
// two seconds more, and waits to be stopped. Told "quiet" it keeps running, and says nothing more.

import { beatGuard } from "../../../src/upstreams/stdio/orphan-guard.ts";
import { createStdioUpstream } from "../../../src/upstreams/stdio-upstream.ts";
import { resultOf, toolCall } from "../../upstreams/calls.ts";

const [program = "", ...args] = process.argv.slice(2);
const upstream = createStdioUpstream({ id: "s", argv: [program, ...args, "modern"] });
const { pid } = resultOf(await upstream.send(toolCall("echo")));
const beating = setInterval(() => beatGuard(2000), 200);
process.stdout.write(`${pid}\n`);
process.stdin.on("data", (data) => {
  if (`${data}`.includes("quiet")) clearInterval(beating);
});
