// A program: something like a gateway, with processes, that waits to be killed.

import { createStdioUpstream } from "../../src/upstreams/stdio-upstream.ts";
import { resultOf, toolCall } from "./calls.ts";

const [marker = "", ...argv] = process.argv.slice(2);
const calls = ["modern", "stubborn"].map(async (role) => {
  const [program = "", ...args] = argv;
  const upstream = createStdioUpstream({ id: role, argv: [program, ...args, role, marker] });
  const { pid } = resultOf(await upstream.send(toolCall("echo")));
  const grandchild = resultOf(await upstream.send(toolCall("grandchild"))).pid;
  return [pid, grandchild];
});
process.stdout.write(`${JSON.stringify((await Promise.all(calls)).flat())}\n`);
setInterval(() => {}, 1000);
