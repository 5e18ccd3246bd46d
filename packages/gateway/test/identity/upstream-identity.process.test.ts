// Servers learn who a call is for, and never see the token that the user sent to the gateway (O9).

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RawServer, serveRaw, tool } from "../raw-server.ts";
import { startIssuer, type TokenIssuer } from "../security/token-issuer.ts";
import { freePort, openServiceStage, type ServiceStage } from "../service/stage.ts";
import type { Json } from "../stage.ts";
import { identityVerifier } from "./identity-claims.ts";
import { CLIENT, CLIENT_SECRET, startTokenServer, type TokenServer } from "./token-server.ts";

const READ = tool("read", { annotations: { readOnlyHint: true } });
const open: AsyncDisposable[] = [];
let issuer: TokenIssuer;
let asserting: Guarded;
let exchanging: Guarded;
let service: Guarded;
let authority: TokenServer;
let stage: ServiceStage;
let url: string;

/** A real server that lets only valid credentials pass, and the claims that it saw. */
interface Guarded extends AsyncDisposable {
  url: URL;
  raw: RawServer;
  seen: JWTPayload[];
  headers: Record<string, unknown>[];
  /** Rejects the next requests as if their tokens were revoked. */
  rejects: number;
}

async function serveGuarded(verify: (headers: Json, own: URL) => Promise<JWTPayload>) {
  const raw = await serveRaw([READ]);
  const guarded = { raw, seen: [], headers: [], rejects: 0 } as unknown as Guarded;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    guarded.headers.push(request.headers);
    try {
      guarded.seen.push(await verify(request.headers, guarded.url));
      if (guarded.rejects-- > 0) throw new Error("rejected");
    } catch {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      return;
    }
    const {
      host: _host,
      connection: _connection,
      "content-length": _length,
      ...rest
    } = request.headers;
    const answer = await fetch(raw.url, {
      ...{ method: "POST", headers: rest as Record<string, string>, body: Buffer.concat(chunks) },
    });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  guarded.url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  guarded[Symbol.asyncDispose] = async () => {
    server.close().closeAllConnections();
    await raw[Symbol.asyncDispose]();
  };
  open.push(guarded);
  return guarded;
}

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  issuer = await startIssuer();
  authority = await startTokenServer({ trusts: issuer.issuer });
  open.push(issuer, authority);
  const verify = identityVerifier(url);
  asserting = await serveGuarded((headers, own) =>
    verify(`${headers["vitrine-identity"]}`, { issuer: url, audience: own.href }),
  );
  const byToken = (headers: Json, own: URL) =>
    authority.verify(`${headers.authorization}`.replace(/^Bearer /, ""), own.href);
  exchanging = await serveGuarded(byToken);
  service = await serveGuarded(byToken);
  const tokens = {
    ...{ tokenEndpoint: `${authority.issuer}/token`, clientId: CLIENT },
    ...{ clientSecret: CLIENT_SECRET, scopes: ["read"] },
  };
  stage = await openServiceStage({
    listen: { port, publicUrl: url },
    auth: {
      ...{ mode: "jwt", issuer: issuer.issuer, audience: "vitrine" },
      ...{ jwks: `${issuer.issuer}/jwks`, groupsClaim: "groups" },
    },
    servers: {
      asserting: {
        ...{ url: asserting.url.href, private: true, era: "modern" },
        identity: { kind: "assertion", groups: true },
      },
      exchanging: {
        ...{ url: exchanging.url.href, private: true, era: "modern" },
        identity: { kind: "exchange", ...tokens },
      },
      service: {
        ...{ url: service.url.href, private: true, era: "modern", sharing: "all" },
        identity: { kind: "client-credentials", ...tokens },
      },
    },
  });
  open.push(stage);
}, 60_000);
afterAll(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const seconds = (): number => Math.floor(Date.now() / 1000);
const tokenOf = (user: string, claims = {}) =>
  issuer.token(user, seconds() + 3600, { iat: seconds(), ...claims });

async function call(server: string, token: string, headers = {}) {
  const { body } = await stage.post("tools/call", { name: "read" }, { server, token, headers });
  return body.result ? "called" : (body.error?.data.reason as string);
}

async function openView(server: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/servers/${server}/views`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ resource: "ui://raw/view.html" }),
  });
  return ((await answer.json()) as Json).ticket;
}

const asView = (ticket: string) => ({ authorization: "", "vitrine-view": ticket });

describe("identity for servers", () => {
  it("signs who a call is for, for a minute and for one server", async () => {
    const token = await tokenOf("alice", { groups: ["engineers"] });
    expect(await call("asserting", token)).toBe("called");
    const claims = asserting.seen.at(-1) as JWTPayload;
    expect(claims).toMatchObject({
      ...{ iss: url, aud: asserting.url.href, sub: "alice", tenant: "default" },
      ...{ act: { sub: url }, groups: ["engineers"] },
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(60);
    expect(await call("asserting", await tokenOf("bob"))).toBe("called");
    expect(asserting.seen.at(-1)?.sub).toBe("bob");
  });

  it("signs a view's calls too, with the groups of its user", async () => {
    const token = await tokenOf("alice", { groups: ["engineers"] });
    const ticket = await openView("asserting", token);
    expect(await call("asserting", "", asView(ticket))).toBe("called");
    expect(asserting.seen.at(-1)).toMatchObject({ sub: "alice", groups: ["engineers"] });
  });

  it("doesn't forward a client's copy of the header, nor its token", async () => {
    const token = await tokenOf("mallory");
    await call("asserting", token, { "vitrine-identity": "forged" });
    expect(asserting.seen.at(-1)?.sub).toBe("mallory");
    for (const { headers } of [asserting, exchanging, service]) {
      expect(JSON.stringify(headers)).not.toContain(token);
    }
  });

  it("isn't accepted as a token of the gateway", async () => {
    await call("asserting", await tokenOf("alice"));
    const assertion = `${asserting.headers.at(-1)?.["vitrine-identity"]}`;
    expect(decodeJwt(assertion).sub).toBe("alice");
    expect(await call("asserting", assertion)).toBe("unauthenticated");
  });

  it("exchanges the user's token once for several calls, for this server and fewer scopes", async () => {
    const before = authority.exchanges.length;
    const token = await tokenOf("carol");
    const results = await Promise.all([1, 2, 3].map(() => call("exchanging", token)));
    expect(results).toEqual(["called", "called", "called"]);
    expect(exchanging.seen.at(-1)).toMatchObject({
      ...{ sub: "carol", aud: exchanging.url.href, scope: "read" },
    });
    expect(authority.exchanges.length - before).toBe(1);
    expect(JSON.stringify(exchanging.headers)).not.toContain(token);
  });

  it("never uses an exchanged token longer than the token it came from", async () => {
    const before = authority.exchanges.length;
    // It expires within the margin, so the next call needs another exchange.
    const short = await issuer.token("dave", seconds() + 5, { iat: seconds() });
    expect(await call("exchanging", short)).toBe("called");
    expect(await call("exchanging", short)).toBe("called");
    expect(authority.exchanges.length - before).toBeGreaterThan(1);
  });

  it("exchanges again after the server rejected a token", async () => {
    const token = await tokenOf("erin");
    expect(await call("exchanging", token)).toBe("called");
    const before = authority.exchanges.length;
    exchanging.rejects = 1;
    expect(await call("exchanging", token)).toBe("called");
    expect(authority.exchanges.length - before).toBe(1);
  });

  it("lets a view use what its user's token obtained, and ends that with a revocation", async () => {
    const token = await tokenOf("frank", { iat: seconds() - 10 });
    const ticket = await openView("exchanging", token);
    expect(await call("exchanging", "", asView(ticket))).toBe("called");
    expect(exchanging.seen.at(-1)?.sub).toBe("frank");
    const { revocations } = stage.service.gateway;
    await revocations.revoke({ tenant: "default", user: "frank" }, { by: "operator" });
    const before = authority.exchanges.length;
    const again = await issuer.token("frank", seconds() + 3600, { iat: seconds() + 2 });
    expect(await call("exchanging", again)).toBe("called");
    expect(authority.exchanges.length - before).toBe(1);
  });

  it("reports a user whose token the authorization server doesn't accept", async () => {
    authority.refuses = "grace";
    expect(await call("exchanging", await tokenOf("grace"))).toBe("connect-required");
  });

  it("uses one token of its own for all users, and renews it in time", async () => {
    expect(await call("service", await tokenOf("alice"))).toBe("called");
    expect(await call("service", await tokenOf("bob"))).toBe("called");
    expect(service.seen.at(-1)).toMatchObject({ aud: service.url.href, client_id: CLIENT });
    expect(authority.services.length).toBe(1);
    service.rejects = 1;
    expect(await call("service", await tokenOf("bob"))).toBe("called");
    expect(authority.services.length).toBe(2);
  });

  it("isn't open to tokens that another key signed", async () => {
    const forged = await new SignJWT({ sub: "alice" })
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
      .setIssuer(url)
      .setAudience(`${url}/servers/asserting/mcp`)
      .setExpirationTime("5m")
      .sign(new Uint8Array(32));
    expect(await call("asserting", forged)).toBe("unauthenticated");
  });
});
