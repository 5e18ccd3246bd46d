// An MCP server that needs a log-in, and its authorization server: a real one, `oidc-provider`.

import { once } from "node:events";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
// @ts-expect-error It has no types.
import { Provider } from "oidc-provider";

/** Both servers. */
export interface LockedServer {
  readonly url: string;
  /** The requests of the authorization server, as `POST /token`. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Starts both on loopback. */
export async function startLockedServer(): Promise<LockedServer> {
  const login = await listen();
  const server = await listen();
  const issuer = `http://127.0.0.1:${portOf(login)}`;
  const url = `http://127.0.0.1:${portOf(server)}/mcp`;
  const requests: string[] = [];
  const provider = new Provider(issuer, {
    cookies: { keys: ["a key of this test"] },
    scopes: ["openid", "offline_access", "mcp"],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: "mcp", accessTokenFormat: "opaque" }),
      },
    },
  });
  const answer = provider.callback();
  login.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    answer(request, response);
  });

  const isKnown = async ({ headers }: IncomingMessage): Promise<boolean> => {
    const token = headers.authorization?.replace(/^Bearer /, "");
    return token !== undefined && (await provider.AccessToken.find(token)) !== undefined;
  };
  server.on("request", async (request, response) => {
    const metadata = `http://127.0.0.1:${portOf(server)}/.well-known/oauth-protected-resource/mcp`;
    if (request.url === new URL(metadata).pathname) {
      const body = { resource: url, authorization_servers: [issuer], scopes_supported: ["mcp"] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    } else if (request.url !== "/mcp") response.writeHead(404).end();
    else if (!(await isKnown(request))) {
      const challenge = `Bearer resource_metadata="${metadata}"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    } else {
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as never);
      await buildServer().connect(transport as never);
      await transport.handleRequest(request, response);
    }
  });
  return {
    url,
    requests,
    close: async () => {
      for (const one of [login, server]) one.close().closeAllConnections();
    },
  };
}

function buildServer(): Server {
  const server = new Server({ name: "vault", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      {
        name: "read_secret",
        inputSchema: { type: "object" as const },
        annotations: { readOnlyHint: true },
      },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text" as const, text: "The vault is open." }],
  }));
  return server;
}

async function listen(): Promise<HttpServer> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

function portOf(server: HttpServer): number {
  return (server.address() as AddressInfo).port;
}
