// `node server/main.ts` uses stdio, as most hosts expect; `… --http 3000` uses HTTP.

import { parseArgs } from "node:util";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import project from "../package.json" with { type: "json" };
import { tasks } from "./app.ts";

const { name, version } = project;
const createServer = () => tasks.register(new McpServer({ name, version }));

const { values } = parseArgs({ options: { http: { type: "string" } } });
if (values.http === undefined) serveStdio(createServer);
else {
  // Loaded here, because stdio doesn't need it.
  const { serveHttp } = await import("./http.ts");
  serveHttp(createServer, Number(values.http));
}
