// The everything-server as a program: `main.ts` on standard input and output, `main.ts <port>` over HTTP.

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createEverything } from "./server.ts";

const [port] = process.argv.slice(2);

if (port === undefined) {
  serveStdio(() =>
    createEverything((server) => ({
      tools: () => server.sendToolListChanged(),
      prompts: () => server.sendPromptListChanged(),
    })),
  );
} else {
  const handler = createMcpHandler(() =>
    createEverything(() => ({
      tools: () => handler.notify.toolsChanged(),
      prompts: () => handler.notify.promptsChanged(),
    })),
  );
  const server = createServer(
    getRequestListener(
      async (request) =>
        hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        originValidationResponse(request, localhostAllowedOrigins()) ??
        handler.fetch(request),
    ),
  );
  server.listen(Number(port), "127.0.0.1");
}
