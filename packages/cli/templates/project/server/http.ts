// Streamable HTTP, for this machine only. Add authentication before others can reach it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { checkApps } from "@vitrine/server";

export function serveHttp(createMcpServer: () => McpServer, port: number): void {
  // A server is created for each request; check now that it can be created.
  checkApps(createMcpServer());
  const answer = toNodeHandler(createMcpHandler(createMcpServer));
  const isLocal = [localhostHostValidation(), localhostOriginValidation()];
  const http = createServer((request, response) => {
    if (isLocal.every((check) => check(request, response))) void answer(request, response);
  });
  http.listen(port, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  });
}
