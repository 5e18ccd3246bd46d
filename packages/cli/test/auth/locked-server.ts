// An MCP server that needs a log-in, and its authorization server: a real one, `oidc-provider`.

import { once } from "node:events";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
// @ts-expect-error It has no types.
import { Provider } from "oidc-provider";

/** Both servers. */
export interface LockedServer {
  readonly url: string;
  readonly issuer: string;
  /** The requests of the authorization server, as `POST /token`. */
  readonly requests: string[];
  /** The headers of every request to the MCP server. */
  readonly received: IncomingMessage["headers"][];
  /** Ends all access tokens. */
  expireTokens(): void;
  close(): Promise<void>;
}

export interface LockedServerOptions {
  /** The page of a view that the tool `read_secret` opens. */
  view?: string;
}

/** A real authorization server. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Its requests, as `POST /token`. */
  readonly requests: string[];
  /** The scopes of an opaque token that it has issued. */
  scopesOf(token: string): Promise<string[] | undefined>;
  close(): void;
}

/** Starts one on loopback, for the resource at `url`. */
export async function startAuthorizationServer(
  url: string,
  accessTokenFormat: "opaque" | "jwt" = "opaque",
): Promise<AuthorizationServer> {
  const login = await listen();
  const issuer = `http://127.0.0.1:${portOf(login)}`;
  const requests: string[] = [];
  const provider = new Provider(issuer, {
    cookies: { keys: ["a key of this test"] },
    scopes: ["openid", "offline_access", "mcp", "safe"],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: "mcp safe", accessTokenFormat }),
      },
    },
  });
  const answer = provider.callback();
  login.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    answer(request, response);
  });
  return {
    issuer,
    requests,
    scopesOf: async (token) => {
      const found = await provider.AccessToken.find(token);
      return found && String(found.scope ?? "").split(" ");
    },
    close: () => void login.close().closeAllConnections(),
  };
}

/** Starts both on loopback. `open_safe` needs the scope `safe` too. */
export async function startLockedServer({ view }: LockedServerOptions = {}): Promise<LockedServer> {
  const server = await listen();
  const url = `http://127.0.0.1:${portOf(server)}/mcp`;
  const login = await startAuthorizationServer(url);
  const { issuer, requests } = login;
  const received: IncomingMessage["headers"][] = [];
  const scopesOf = async ({ headers }: IncomingMessage): Promise<string[] | undefined> => {
    const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
    return token === "" || expired.has(token) ? undefined : login.scopesOf(token);
  };
  const seen = new Set<string>();
  const expired = new Set<string>();
  server.on("request", async (request, response) => {
    const metadata = `http://127.0.0.1:${portOf(server)}/.well-known/oauth-protected-resource/mcp`;
    if (request.url === new URL(metadata).pathname) {
      const body = { resource: url, authorization_servers: [issuer], scopes_supported: ["mcp"] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      return;
    }
    if (request.url !== "/mcp") return void response.writeHead(404).end();
    received.push(request.headers);
    const scopes = await scopesOf(request);
    if (!scopes) {
      const challenge = `Bearer resource_metadata="${metadata}", scope="mcp"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    seen.add(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
    const body = request.method === "POST" ? await readJson(request) : undefined;
    if (body?.params?.name === "open_safe" && !scopes.includes("safe")) {
      const challenge = `Bearer error="insufficient_scope", scope="safe", resource_metadata="${metadata}"`;
      return void response.writeHead(403, { "www-authenticate": challenge }).end();
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as never);
    await buildServer(view).connect(transport as never);
    await transport.handleRequest(request, response, body);
  });
  return {
    url,
    issuer,
    requests,
    received,
    expireTokens: () => {
      for (const token of seen) expired.add(token);
    },
    close: async () => {
      login.close();
      server.close().closeAllConnections();
    },
  };
}

function buildServer(view: string | undefined): Server {
  const uri = "ui://vault/view.html";
  const server = new Server(
    { name: "vault", version: "1.0.0" },
    { capabilities: { tools: {}, ...(view && { resources: {} }) } },
  );
  const annotations = { readOnlyHint: true };
  const inputSchema = { type: "object" as const };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      {
        name: "read_secret",
        inputSchema,
        annotations,
        ...(view && { _meta: { ui: { resourceUri: uri } } }),
      },
      { name: "open_safe", inputSchema, annotations },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [
      {
        type: "text" as const,
        text: params.name === "open_safe" ? "The safe is open." : "The vault is open.",
      },
    ],
  }));
  if (view)
    server.setRequestHandler(ReadResourceRequestSchema, () => ({
      contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: view }],
    }));
  return server;
}

async function readJson(request: IncomingMessage): Promise<{ params?: { name?: string } }> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

/** Starts a server on a free port of loopback. */
export async function listen(): Promise<HttpServer> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

/** Its port. */
export function portOf(server: HttpServer): number {
  return (server.address() as AddressInfo).port;
}

/** Logs in as a browser would: follows redirects, keeps cookies, sends the forms. Returns the last text. */
export async function logInAsUser(address: string): Promise<string> {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, body?: URLSearchParams): Promise<string> => {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) return visit(new URL(location, url));
    const text = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
    if (action === undefined || prompt === undefined) return text;
    const fields = prompt === "login" ? { prompt, login: "ann", password: "any" } : { prompt };
    return visit(new URL(action, url), new URLSearchParams(fields));
  };
  return visit(new URL(address));
}
