// A server with one View, whose file is read for each request: `node counter.mjs <file>`.

import { pathToFileURL } from "node:url";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { defineApp } from "@vitrine/server";

const [file = ""] = process.argv.slice(2);
const counter = defineApp({
  name: "counter",
  tool: { handler: () => ({ text: "Counting" }) },
  view: pathToFileURL(file),
  prefersBorder: true,
});
serveStdio(() => counter.register(new McpServer({ name: "counter", version: "1.0.0" })));
