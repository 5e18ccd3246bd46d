// Official clients log in to the combined endpoint from its address alone (O2).

import { afterEach, expect, it } from "vitest";
import { REGISTERED, startAuthorizationServer } from "./authorization-server.ts";
import { connect, MemoryLogin, openLoginGateway } from "./login-stage.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

it("lets the official client log in to all servers at once", async () => {
  const authority = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(authority);
  const { publicUrl, stage } = await openLoginGateway(open, [authority]);
  const { client, login } = await connect(open, `${publicUrl}/mcp`);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("station__forecast");
  expect(names).toContain("vault__forecast");
  const called = await client.callTool({ name: "vault__forecast", arguments: { city: "Oslo" } });
  expect(called.structuredContent).toEqual({ city: "Oslo", celsius: 12 });

  // The token is for this address: not for MCP at a single server, but for opening its views from a page.
  const token = login.tokens_?.access_token as string;
  expect((await stage.post("tools/list", {}, { token })).status).toBe(401);
  expect((await stage.open("ui://station/map.html", {}, token)).status).toBe(200);
  const list = await fetch(`${publicUrl}/servers`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await list.json()).toMatchObject({ servers: [{}, {}], combined: "/mcp" });
  const { login: other } = await connect(open, `${publicUrl}/servers/station/mcp`);
  const narrow = { token: other.tokens_?.access_token as string, path: "/mcp" };
  const refused = await stage.post("tools/list", {}, narrow);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    `Bearer error="invalid_token", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="mcp"`,
  ]);
});

it("asks for the scopes of a single server when one of its tools is called", async () => {
  const authority = await startAuthorizationServer({ scopes: "mcp vault" });
  open.push(authority);
  const { publicUrl, stage } = await openLoginGateway(open, [authority], {
    settings: { scopes: ["vault"] },
  });
  const { client, login } = await connect(open, `${publicUrl}/mcp`, {
    login: new MemoryLogin(REGISTERED),
  });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("vault__forecast");
  const call = { name: "vault__forecast", arguments: { city: "Oslo" } };
  const token = login.tokens_?.access_token as string;
  const refused = await stage.post("tools/call", call, { token, path: "/mcp" });
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    403,
    `Bearer error="insufficient_scope", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="mcp vault"`,
  ]);
  expect(stage.refusals).toEqual(["scopes insufficient-scope"]);
  const metadata = await fetch(`${publicUrl}/.well-known/oauth-protected-resource/mcp`);
  expect(await metadata.json()).toMatchObject({
    resource: `${publicUrl}/mcp`,
    scopes_supported: ["mcp"],
  });
});

it("shows users of an issuer only the servers that accept it", async () => {
  const [first, second] = [await startAuthorizationServer(), await startAuthorizationServer()];
  open.push(first, second);
  const { publicUrl, stage } = await openLoginGateway(open, [first, second], {
    settings: { issuers: [second.issuer] },
  });
  const { client, login } = await connect(open, `${publicUrl}/mcp`);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => !name.startsWith("station__"))).toEqual([]);
  const token = login.tokens_?.access_token as string;
  const { body } = await stage.post(
    "tools/call",
    { name: "vault__forecast" },
    { token, path: "/mcp" },
  );
  expect(body.error.data.reason).toBe("unknown-tool");
});
