import { createServer } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { exportSPKI, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { requireAuth } from "../../src/auth/index.ts";
import { defineApp } from "../../src/index.ts";
import { type Issuer, RESOURCE, startIssuer } from "./issuer.ts";

let issuer: Issuer;
let other: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
  other = await startIssuer();
});
afterAll(() => {
  issuer.close();
  other.close();
});

const guardOf = (scopes: string[] = ["mcp"]) =>
  requireAuth({ resource: RESOURCE, issuers: [issuer.url], scopes });
const ask = async (token: string | undefined, guard = guardOf()) =>
  guard.check(
    new Request(RESOURCE, {
      method: "POST",
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    }),
  );
const METADATA = "http://localhost:9/.well-known/oauth-protected-resource/mcp";

describe("requireAuth", () => {
  test("tells clients where to log in, and serves the metadata to any page", async () => {
    const answer = (await ask(undefined)) as Response;
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer resource_metadata="${METADATA}", scope="mcp"`,
    );
    const metadata = (await guardOf().check(new Request(METADATA))) as Response;
    expect(metadata.headers.get("access-control-allow-origin")).toBe("*");
    expect(await metadata.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ["header"],
      scopes_supported: ["mcp"],
    });
    const preflight = (await guardOf().check(
      new Request(METADATA, { method: "OPTIONS" }),
    )) as Response;
    expect(preflight.status).toBe(204);
  });

  test("accepts a token of the issuer for this server", async () => {
    const token = await issuer.sign({ client_id: "chat", email: "ann@example.com" });
    expect(await ask(token)).toMatchObject({
      token,
      clientId: "chat",
      scopes: ["mcp", "notes"],
      extra: {
        auth: { subject: "ann", issuer: issuer.url, claims: { email: "ann@example.com" } },
      },
    });
    const all = { aud: ["https://other.example", RESOURCE], scope: undefined, scp: ["mcp"] };
    expect(await ask(await issuer.sign(all))).toMatchObject({ scopes: ["mcp"] });
  });

  test("asks for all its scopes if the token lacks one", async () => {
    const answer = (await ask(await issuer.sign(), guardOf(["mcp", "admin"]))) as Response;
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
    expect(answer.headers.get("www-authenticate")).toContain('scope="mcp admin"');
  });

  test("answers 503 while the issuer's keys can't be fetched, and lets nobody in", async () => {
    const gone = await startIssuer();
    const token = await gone.sign();
    gone.close();
    const guard = requireAuth({ resource: RESOURCE, issuers: [gone.url] });
    expect(((await ask(token, guard)) as Response).status).toBe(503);
    expect(((await ask(token, guard)) as Response).status).toBe(503);
  });

  test.each([
    ["resource", { resource: "http://example.com/mcp", issuers: ["https://a.example"] }],
    ["issuer", { resource: RESOURCE, issuers: ["http://a.example"] }],
    ["no issuer", { resource: RESOURCE, issuers: [] }],
  ])("rejects an unsafe option at once: %s", (_, options) => {
    expect(() => requireAuth(options)).toThrow(TypeError);
  });
});

describe("a forged token is rejected", () => {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = () => ({
    iss: issuer.url,
    aud: RESOURCE,
    sub: "ann",
    scope: "mcp",
    exp: Math.floor(Date.now() / 1000) + 60,
  });
  const forged: [string, () => Promise<string>][] = [
    ["for another audience", () => issuer.sign({ aud: "https://other.example/mcp" })],
    ["for a parent of the resource", () => issuer.sign({ aud: "http://localhost:9" })],
    ["without an audience", () => issuer.sign({ aud: undefined })],
    ["that has expired", () => issuer.sign({ exp: 1_700_000_000 })],
    ["that never expires", () => issuer.sign({ exp: undefined })],
    ["that isn't valid yet", () => issuer.sign({ nbf: 4_000_000_000 })],
    ["without a user", () => issuer.sign({ sub: undefined })],
    ["of another issuer", () => other.sign()],
    ["of another issuer that names ours", () => other.sign({ iss: issuer.url })],
    ["without a signature", async () => `${encode({ alg: "none" })}.${encode(claims())}.`],
    [
      "signed with the public key as a shared secret",
      async () => {
        const secret = new TextEncoder().encode(await exportSPKI(issuer.publicKey));
        return issuer.sign({}, { alg: "HS256", key: secret });
      },
    ],
    [
      "signed with its own key",
      async () => {
        const { privateKey } = await generateKeyPair("ES256");
        return issuer.sign({}, { key: privateKey });
      },
    ],
    ["that isn't a token", async () => "aaaa"],
    ["that is very long", async () => "a".repeat(20_000)],
    [
      "with a changed claim",
      async () => {
        const [head, , signature] = (await issuer.sign()).split(".");
        return `${head}.${encode({ ...claims(), sub: "admin" })}.${signature}`;
      },
    ],
  ];
  test.each(forged)("%s", async (_, make) => {
    const answer = await ask(await make());
    expect(answer).toBeInstanceOf(Response);
    expect((answer as Response).status).toBe(401);
    expect((answer as Response).headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("also by a verifier of your own that forgets the audience, the issuer or the time", async () => {
    const good = {
      subject: "ann",
      issuer: issuer.url,
      audience: RESOURCE,
      scopes: ["mcp"],
      expires: Date.now() / 1000 + 60,
      claims: {},
    };
    const statusOf = async (found: object | undefined): Promise<number> => {
      const verify = async () => found as typeof good | undefined;
      const guard = requireAuth({ resource: RESOURCE, issuers: [issuer.url], verify });
      const answer = await ask("opaque", guard);
      return answer instanceof Response ? answer.status : 200;
    };
    expect(await statusOf(good)).toBe(200);
    expect(await statusOf({ ...good, audience: "https://other.example" })).toBe(401);
    expect(await statusOf({ ...good, audience: undefined })).toBe(401);
    expect(await statusOf({ ...good, issuer: other.url })).toBe(401);
    expect(await statusOf({ ...good, expires: 0 })).toBe(401);
    expect(await statusOf({ ...good, expires: undefined })).toBe(401);
    expect(await statusOf(undefined)).toBe(401);
  });
});

test("gives the user to the handlers of an app, and nobody else's", async () => {
  const app = defineApp({
    name: "who",
    view: "<!doctype html><p>Who</p>",
    tool: {
      handler: (_, { auth }) => ({ text: `${auth?.subject} may ${auth?.scopes.join(" and ")}` }),
    },
  });
  const handler = createMcpHandler(() =>
    app.register(new McpServer({ name: "who", version: "1.0.0" })),
  );
  const server = createServer(async (request, response) => {
    if (!(await guard.checkNode(request, response))) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { auth } = request as { auth?: never };
    const answer = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? "GET",
        headers: request.headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
      { authInfo: auth as never },
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}/mcp`;
  const guard = requireAuth({ resource: url, issuers: [issuer.url], scopes: ["mcp"] });

  const call = async (subject: string): Promise<unknown> => {
    const token = await issuer.sign({ sub: subject, aud: url });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        authProvider: { token: async () => token },
      }),
    );
    const { content } = await client.callTool({ name: "who" });
    await client.close();
    return content;
  };
  expect(await call("ann")).toEqual([{ type: "text", text: "ann may mcp and notes" }]);
  expect(await call("bob")).toEqual([{ type: "text", text: "bob may mcp and notes" }]);
  expect((await fetch(url, { method: "POST" })).status).toBe(401);
});
