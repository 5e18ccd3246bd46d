// Official clients log in to the gateway from a server's address alone, at a real authorization server (O2).

import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { serveStation2 } from "@vitrine/internal/station-servers";
import { afterEach, expect, it } from "vitest";
import { jwtAuthenticator } from "../../src/identity/user-token.ts";
import { freePort } from "../service/stage.ts";
import { openStage, type StageOptions, upstreamTo } from "../stage.ts";
import {
  type AuthorizationServer,
  logIn,
  REDIRECT,
  REGISTERED,
  startAuthorizationServer,
} from "./authorization-server.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

/** Keeps everything in memory, as a host does for one user. */
class MemoryLogin implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "a host",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
    application_type: "native",
  };
  readonly addresses: URL[] = [];
  #client: StoredOAuthClientInformation | undefined;
  #verifier = "";
  tokens_: StoredOAuthTokens | undefined;
  /** A client that the operator registered. Others register themselves, with the first scopes they need. */
  constructor(clientId?: string) {
    if (clientId !== undefined) this.#client = { client_id: clientId } as never;
  }
  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client;
  };
  tokens = () => this.tokens_;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.tokens_ = tokens;
  };
  redirectToAuthorization = (address: URL) => void this.addresses.push(address);
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

/** Connects, logs in when the gateway asks for it, and connects again. */
async function connect(url: string, user: string, login = new MemoryLogin()) {
  const transportTo = () =>
    new StreamableHTTPClientTransport(new URL(url), { authProvider: login });
  const client = () => new Client({ name: "host", version: "1.0.0" });
  const first = transportTo();
  // A second log-in starts with a token that isn't enough.
  const failure = await client()
    .connect(first)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnauthorizedError);
  const back = await logIn(login.addresses.at(-1) as URL, user);
  await first.finishAuth(back.searchParams);
  const connected = client();
  await connected.connect(transportTo());
  open.push({ [Symbol.asyncDispose]: () => connected.close() });
  return { client: connected, login };
}

async function openGateway(
  servers: AuthorizationServer[],
  {
    settings,
    scopes = ["mcp"],
    basePath = "",
  }: Pick<StageOptions, "settings" | "basePath"> & { scopes?: string[] } = {},
) {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}${basePath}`;
  const station = await serveStation2();
  const upstream = upstreamTo(station.url);
  const stage = await openStage({
    port,
    basePath,
    authenticate: jwtAuthenticator(
      servers.map(({ issuer }, place) => ({ issuer, tenant: `t${place}`, groupsClaim: "groups" })),
    ),
    login: { publicUrl, issuers: servers.map(({ issuer }) => issuer), scopes },
    servers: {
      station: { upstream: upstreamTo(station.url) },
      vault: { upstream, ...(settings && { settings }) },
    },
  });
  open.push(stage, station);
  return { stage, publicUrl, upstream };
}

it("lets the official client log in from the server's address alone", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl } = await openGateway([login]);
  const { client } = await connect(`${publicUrl}/servers/station/mcp`, "ann");
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect(login.requests).toContain("POST /reg");
});

it("lets the official client log in where the public address has a path (O13)", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl } = await openGateway([login], { basePath: "/tools/gateway" });
  const { client } = await connect(`${publicUrl}/servers/station/mcp`, "ann");
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const { origin } = new URL(publicUrl);
  const path = "/.well-known/oauth-protected-resource/tools/gateway/servers/station/mcp";
  const metadata = (await (await fetch(origin + path)).json()) as object;
  expect(metadata).toMatchObject({ resource: `${publicUrl}/servers/station/mcp` });
});

it("accepts a token only for the server that it was issued for", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { stage, publicUrl } = await openGateway([login]);
  const { login: held } = await connect(`${publicUrl}/servers/station/mcp`, "ann");
  const token = held.tokens_?.access_token as string;
  expect((await stage.post("tools/list", {}, { token })).status).toBe(200);
  const other = await stage.post("tools/list", {}, { token, server: "vault" });
  expect(other.status).toBe(401);
  expect(other.headers.get("www-authenticate")).toBe(
    `Bearer error="invalid_token", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/servers/vault/mcp", scope="mcp"`,
  );
  const list = await fetch(`${publicUrl}/servers`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(list.status).toBe(401);
});

it("asks for a further scope when a server needs it, and the client logs in again with it", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { stage, publicUrl, upstream } = await openGateway([login]);
  const { client, login: held } = await connect(
    `${publicUrl}/servers/vault/mcp`,
    "ann",
    new MemoryLogin(REGISTERED),
  );
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  stage.gateway.setServer("vault", { upstream, settings: { scopes: ["vault"] } });

  const token = held.tokens_?.access_token as string;
  const refused = await stage.post("tools/list", {}, { token, server: "vault" });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toMatch(
    /^Bearer error="insufficient_scope", resource_metadata="[^"]+", scope="mcp vault"$/,
  );
  const again = await connect(`${publicUrl}/servers/vault/mcp`, "ann", held);
  expect(again.login.addresses.at(-1)?.searchParams.get("scope")).toContain("vault");
  expect((await again.client.listTools()).tools.length).toBeGreaterThan(0);
});

it("sends each server's users to their own issuer, and keeps users of another one out", async () => {
  const [first, second] = [
    await startAuthorizationServer({ scopes: "mcp vault" }),
    await startAuthorizationServer({ scopes: "mcp vault" }),
  ];
  open.push(first, second);
  const { stage, publicUrl } = await openGateway([first, second], {
    settings: { issuers: [second.issuer] },
  });
  const { client } = await connect(`${publicUrl}/servers/vault/mcp`, "bob");
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect(first.requests).toEqual([]);
  const { login } = await connect(`${publicUrl}/servers/station/mcp`, "ann");
  const token = login.tokens_?.access_token as string;
  const refused = await stage.post("tools/list", {}, { token, server: "vault" });
  expect(refused.status).toBe(401);
});

it("publishes the same metadata form for servers that don't exist", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl } = await openGateway([login]);
  const read = async (server: string) => {
    const address = `${publicUrl}/.well-known/oauth-protected-resource/servers/${server}/mcp`;
    const response = await fetch(address, { headers: { origin: "https://any.example" } });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    return [response.status, await response.json()];
  };
  expect(await read("station")).toEqual([
    200,
    {
      resource: `${publicUrl}/servers/station/mcp`,
      authorization_servers: [login.issuer],
      scopes_supported: ["mcp"],
      bearer_methods_supported: ["header"],
    },
  ]);
  expect((await read("nothing"))[0]).toBe(200);
});

it("answers 503 while an issuer is down and its keys were never loaded", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl, stage } = await openGateway([login]);
  const { login: held } = await connect(`${publicUrl}/servers/station/mcp`, "ann");
  const { stage: fresh } = await openGateway([login]);
  login.setDown(true);
  const token = held.tokens_?.access_token as string;
  expect((await stage.post("tools/list", {}, { token })).status).toBe(200);
  const refused = await fresh.post("tools/list", {}, { token });
  expect([refused.status, refused.body.error.data.reason]).toEqual([503, "login-unavailable"]);
});
