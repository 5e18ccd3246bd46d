import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expenses } from "./app.ts";

serveStdio(() => expenses.register(new McpServer({ name: "expenses", version: "1.0.0" })));
