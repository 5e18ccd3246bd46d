// Servers and issuers that try to get tokens, codes or headers that aren't for them.

import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { type LoginFile, openLoginFile } from "../../src/auth/login-file.ts";
import { createServerLogins } from "../../src/auth/server-logins.ts";
import { connectServer } from "../../src/target/server-connection.ts";
import { listen, portOf } from "./locked-server.ts";

const ACCESS = "access-token-of-the-user-4711";
const REFRESH = "refresh-token-of-the-user-4712";

interface Site {
  readonly origin: string;
  /** Each request with its headers and body, as text. */
  readonly received: string[];
}

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

/** A site that answers with a function, and keeps everything it receives. */
async function openSite(
  answer: (path: string, origin: string, body: string) => Answer | undefined,
): Promise<Site> {
  const server = await listen();
  onTestFinished(() => void server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${portOf(server)}`;
  const received: string[] = [];
  server.on("request", async (request: IncomingMessage, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { method, url = "/", headers } = request;
    received.push(`${method} ${url} ${JSON.stringify(headers)} ${body}`);
    const found = answer(url, origin, body) ?? { status: 404 };
    response.writeHead(found.status ?? 200, {
      "content-type": "application/json",
      ...found.headers,
    });
    response.end(found.body === undefined ? "" : JSON.stringify(found.body));
  });
  return { origin, received };
}

const issuerMetadata = (origin: string, changes: object = {}): Answer => ({
  body: {
    issuer: origin,
    authorization_endpoint: `${origin}/auth`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/reg`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    ...changes,
  },
});

/** An issuer that registers everybody. */
const openIssuer = (changes: object = {}, token: Answer = { status: 500 }): Promise<Site> =>
  openSite((path, origin) => {
    if (path.startsWith("/.well-known/oauth-authorization-server"))
      return issuerMetadata(origin, changes);
    if (path === "/reg")
      return {
        status: 201,
        body: { client_id: "client-1", redirect_uris: ["http://127.0.0.1:9/callback"] },
      };
    return path === "/token" ? token : undefined;
  });

/** A server that rejects everything and names an issuer. */
const openServer = (issuer: string, changes: object = {}): Promise<Site> =>
  openSite((path, origin) => {
    if (path === "/.well-known/oauth-protected-resource/mcp")
      return { body: { resource: `${origin}/mcp`, authorization_servers: [issuer], ...changes } };
    if (path !== "/mcp") return undefined;
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return {
      status: 401,
      headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
    };
  });

let file: LoginFile;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-attacks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = openLoginFile(join(folder, "logins.json"));
});

function store(server: Site, issuer: string): void {
  file.save({
    resource: `${server.origin}/mcp`,
    issuer,
    client: { client_id: "client-1", issuer },
    tokens: { access_token: ACCESS, refresh_token: REFRESH, token_type: "Bearer", issuer },
  });
}

const open = () => createServerLogins({ file, redirectUrl: () => "http://127.0.0.1:9/callback" });
const connect = async (site: Site, headers?: Headers): Promise<unknown> =>
  connectServer(
    { kind: "url", url: new URL(`${site.origin}/mcp`), ...(headers && { headers }) },
    { logins: createServerLogins({ file }), timeout: 5000 },
  ).then(
    (connection) => connection.close(),
    (error: unknown) => error,
  );
const begin = (site: Site): Promise<string> => open().begin(new URL(`${site.origin}/mcp`));

test("a server that names another server as its resource gets no log-in", async () => {
  const issuer = await openIssuer();
  const server = await openServer(issuer.origin, { resource: "https://bank.example/mcp" });
  await expect(begin(server)).rejects.toThrow(/bank\.example/);
  expect(issuer.received.filter((text) => text.startsWith("POST"))).toEqual([]);
});

test("a server that now names another issuer doesn't get the refresh token there", async () => {
  const evil = await openIssuer();
  const server = await openServer(evil.origin);
  store(server, "https://issuer.example");
  expect(await connect(server)).toMatchObject({ code: "login-needed" });
  expect(evil.received.join("\n")).not.toContain(REFRESH);
  expect(evil.received.join("\n")).not.toContain(ACCESS);
});

test("tokens and headers don't follow a redirect to another origin", async () => {
  const other = await openSite(() => ({ body: {} }));
  const server = await openSite(() => ({
    status: 307,
    headers: { location: `${other.origin}/mcp` },
  }));
  store(server, "https://issuer.example");
  await connect(server);
  await connect(server, new Headers({ "x-key": "header-secret-1", authorization: "Bearer mine" }));
  expect(server.received.join("\n")).toContain(ACCESS);
  expect(server.received.join("\n")).toContain("header-secret-1");
  expect(other.received).toEqual([]);
});

test("a stored token isn't sent to another path or port of the same machine", async () => {
  const issuer = await openIssuer();
  const server = await openServer(issuer.origin);
  store(server, issuer.origin);
  const neighbour = await openServer(issuer.origin);
  await connect(neighbour);
  expect(neighbour.received.join("\n")).not.toContain(ACCESS);
  await connectServer(
    { kind: "url", url: new URL(`${server.origin}/other`) },
    { logins: createServerLogins({ file }), timeout: 5000 },
  ).catch(() => {});
  expect(server.received.join("\n")).not.toContain(ACCESS);
});

test("headers of the user don't reach the authorization server", async () => {
  const issuer = await openIssuer();
  const server = await openServer(issuer.origin);
  const logins = open();
  const url = new URL(`${server.origin}/mcp`);
  logins.connection(url, new Headers({ "x-key": "header-secret-1" }));
  await logins.begin(url);
  expect(server.received.join("\n")).toContain("header-secret-1");
  expect(issuer.received.length).toBeGreaterThan(1);
  expect(issuer.received.join("\n")).not.toContain("header-secret-1");
});

test.each([
  ["whose metadata names another issuer", { issuer: "https://issuer.example" }, /issuer/i],
  ["without PKCE", { code_challenge_methods_supported: undefined }, /PKCE with S256/],
  ["with plain PKCE only", { code_challenge_methods_supported: ["plain"] }, /PKCE with S256/],
  ["with a token endpoint on http", { token_endpoint: "http://example.com/t" }, /https/],
  ["with a script as its page", { authorization_endpoint: "javascript:alert(1)" }, /log-in/],
])("an issuer %s gets no client and no user", async (_, changes, reason) => {
  const issuer = await openIssuer(changes);
  const server = await openServer(issuer.origin);
  await expect(begin(server)).rejects.toThrow(reason);
  expect(issuer.received.filter((text) => text.startsWith("POST"))).toEqual([]);
});

test("a token endpoint can't send the refresh token on to another origin", async () => {
  const other = await openSite(() => ({ body: {} }));
  const issuer = await openIssuer(
    {},
    { status: 307, headers: { location: `${other.origin}/token` } },
  );
  const server = await openServer(issuer.origin);
  store(server, issuer.origin);
  expect(await connect(server)).toMatchObject({ code: "login-needed" });
  expect(issuer.received.join("\n")).toContain(REFRESH);
  expect(other.received).toEqual([]);
});

test("secrets that an issuer repeats in its error appear in no message and no step", async () => {
  const issuer = await openIssuer(
    {},
    {
      status: 400,
      body: { error: "invalid_grant", error_description: `bad ${REFRESH} and ${ACCESS}` },
    },
  );
  const server = await openServer(issuer.origin);
  store(server, issuer.origin);
  const logins = createServerLogins({ file });
  const url = new URL(`${server.origin}/mcp`);
  const error = await connectServer({ kind: "url", url }, { logins }).catch((one) => one);
  const shown = JSON.stringify([logins.state(url), error.message, String(error.stack)]);
  expect(shown).toContain("invalid_grant");
  expect(shown).not.toContain(REFRESH);
  expect(shown).not.toContain(ACCESS);
  expect(file.find(url.href)?.tokens).toBeUndefined();
});

test("a server that repeats the token or a header in its error doesn't get it printed", async () => {
  const server = await openSite(() => ({
    status: 400,
    body: { error: `you sent ${ACCESS} and header-secret-1` },
  }));
  store(server, "https://issuer.example");
  const error = await connect(server, new Headers({ "x-key": "header-secret-1" }));
  expect(String(error)).toContain("[secret] and [secret]");
  expect(String(error)).not.toContain(ACCESS);
});

test("an endless metadata document ends the log-in", async () => {
  const server = await openServer("http://127.0.0.1:9", { padding: "x".repeat(300_000) });
  await expect(begin(server)).rejects.toThrow();
});
