// The same server over Streamable HTTP, stateless, for clients of both eras: `node http.mjs 3000`.

import { createServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { checkApps, defineApp } from "@vitrine/server";
import { detail } from "@vitrine/server/templates";
import { z } from "zod";

const dice = defineApp({
  name: "dice",
  tool: {
    outputSchema: z.object({ eyes: z.number() }),
    handler: () => ({ data: { eyes: Math.ceil(Math.random() * 6) } }),
  },
  view: detail({ title: "Dice" }),
  prefersBorder: true,
});
const build = () => dice.register(new McpServer({ name: "dice", version: "1.0.0" }));
// A server is built for each request: what is wrong with it should be known before the first.
checkApps(build());

const answer = toNodeHandler(createMcpHandler(build));
const isLocal = [localhostHostValidation(), localhostOriginValidation()];
const http = createServer((request, response) => {
  if (isLocal.every((check) => check(request, response))) void answer(request, response);
});
http.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${http.address().port}/mcp`);
});
