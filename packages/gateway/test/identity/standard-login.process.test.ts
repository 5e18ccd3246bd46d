// Official clients log in to the gateway from a server's address alone, at a real authorization server (O2).

import { afterEach, expect, it } from "vitest";
import { REGISTERED, startAuthorizationServer } from "./authorization-server.ts";
import { connect, MemoryLogin, openLoginGateway } from "./login-stage.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

it("lets the official client log in from the server's address alone", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl } = await openLoginGateway(open, [login]);
  const { client } = await connect(open, `${publicUrl}/servers/station/mcp`);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect(login.requests).toContain("POST /reg");
});

it("lets the official client log in where the public address has a path (O13)", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl } = await openLoginGateway(open, [login], { basePath: "/tools/gateway" });
  const { client } = await connect(open, `${publicUrl}/servers/station/mcp`);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const { origin } = new URL(publicUrl);
  const path = "/.well-known/oauth-protected-resource/tools/gateway/servers/station/mcp";
  const metadata = (await (await fetch(origin + path)).json()) as object;
  expect(metadata).toMatchObject({ resource: `${publicUrl}/servers/station/mcp` });
});

it("accepts a token only for the server that it was issued for", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { stage, publicUrl } = await openLoginGateway(open, [login]);
  const { login: held } = await connect(open, `${publicUrl}/servers/station/mcp`);
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
  const { stage, publicUrl, upstream } = await openLoginGateway(open, [login]);
  const { client, login: held } = await connect(open, `${publicUrl}/servers/vault/mcp`, {
    login: new MemoryLogin(REGISTERED),
  });
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  stage.gateway.setServer("vault", { upstream, settings: { scopes: ["vault"] } });

  const token = held.tokens_?.access_token as string;
  const refused = await stage.post("tools/list", {}, { token, server: "vault" });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toMatch(
    /^Bearer error="insufficient_scope", resource_metadata="[^"]+", scope="mcp vault"$/,
  );
  const again = await connect(open, `${publicUrl}/servers/vault/mcp`, { login: held });
  expect(again.login.addresses.at(-1)?.searchParams.get("scope")).toContain("vault");
  expect((await again.client.listTools()).tools.length).toBeGreaterThan(0);
});

it("sends each server's users to their own issuer, and keeps users of another one out", async () => {
  const [first, second] = [
    await startAuthorizationServer({ scopes: "mcp vault" }),
    await startAuthorizationServer({ scopes: "mcp vault" }),
  ];
  open.push(first, second);
  const { stage, publicUrl } = await openLoginGateway(open, [first, second], {
    settings: { issuers: [second.issuer] },
  });
  const { client } = await connect(open, `${publicUrl}/servers/vault/mcp`, { user: "bob" });
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect(first.requests).toEqual([]);
  const { login } = await connect(open, `${publicUrl}/servers/station/mcp`);
  const token = login.tokens_?.access_token as string;
  const refused = await stage.post("tools/list", {}, { token, server: "vault" });
  expect(refused.status).toBe(401);
});

it("publishes the same metadata form for servers that don't exist", async () => {
  const login = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(login);
  const { publicUrl } = await openLoginGateway(open, [login]);
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
  const { publicUrl, stage } = await openLoginGateway(open, [login]);
  const { login: held } = await connect(open, `${publicUrl}/servers/station/mcp`);
  const { stage: fresh } = await openLoginGateway(open, [login]);
  login.setDown(true);
  const token = held.tokens_?.access_token as string;
  expect((await stage.post("tools/list", {}, { token })).status).toBe(200);
  const refused = await fresh.post("tools/list", {}, { token });
  expect([refused.status, refused.body.error.data.reason]).toEqual([503, "login-unavailable"]);
});
