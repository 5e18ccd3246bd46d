// The proxy as a stdio server, for any client that starts servers by a command:
//
//   node --experimental-strip-types src/stdio.ts npx @modelcontextprotocol/server-memory

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { openProxy } from "./proxy.ts";

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error("Give the command of a server.");
  process.exit(2);
}
const proxy = await openProxy(command, args);
serveStdio(() => proxy.build());
process.stdin.once("end", () => void proxy.close());
