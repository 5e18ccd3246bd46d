// Streamable HTTP. By default it is for this machine only, and needs no log-in. With both of these
// variables it is for everybody whom an issuer knows:
//
//   PUBLIC_URL=https://example.com/mcp AUTH_ISSUER=https://login.example.com npm start
//
// Tokens must be JWTs with the scope `mcp` and PUBLIC_URL as their audience; handlers get the user as
// `auth`. Put a proxy with TLS in front.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  hostHeaderValidation,
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { checkApps } from "@vitrine/server";
import { requireAuth } from "@vitrine/server/auth";

type Check = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export function serveHttp(createMcpServer: () => McpServer, port: number): void {
  // A server is created for each request; check now that it can be created.
  checkApps(createMcpServer());
  const answer = toNodeHandler(createMcpHandler(createMcpServer));
  const checks = accessChecks(process.env);
  const http = createServer(async (request, response) => {
    for (const check of checks) if (!(await check(request, response))) return;
    await answer(request, response);
  });
  http.listen(port, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  });
}

/** Each answers a request itself if it may not continue. */
function accessChecks({ PUBLIC_URL: address, AUTH_ISSUER: issuer }: NodeJS.ProcessEnv): Check[] {
  if (!address && !issuer) return [localhostHostValidation(), localhostOriginValidation()];
  if (!address || !issuer)
    throw new Error("Set both PUBLIC_URL and AUTH_ISSUER, or neither of them.");
  const guard = requireAuth({ resource: address, issuers: [issuer], scopes: ["mcp"] });
  return [hostHeaderValidation([new URL(address).hostname]), guard.checkNode];
}
