// Enterprise-managed authorization: assertions of a company's identity provider become access tokens.

import {
  Client,
  CrossAppAccessProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { exportSPKI, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryEngine } from "../../src/engine/index.ts";
import { createEnterpriseGrants } from "../../src/identity/enterprise-grants.ts";
import { createSigningKeys } from "../../src/identity/signing-keys.ts";
import { freePort, openServiceStage, type ServiceStage } from "../service/stage.ts";
import type { Json } from "../stage.ts";
import {
  type AssertionChanges,
  type IdentityProvider,
  startIdentityProvider,
} from "./identity-provider.ts";

const SECRET = "the secret of the desktop client";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
let idp: IdentityProvider;
let other: IdentityProvider;
let stage: ServiceStage;
let url: string;
let resource: string;

beforeAll(async () => {
  idp = await startIdentityProvider();
  other = await startIdentityProvider();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  resource = `${url}/servers/station/mcp`;
  stage = await openServiceStage({
    listen: { port, publicUrl: url },
    auth: {
      mode: "jwt",
      scopes: ["mcp"],
      enterprise: {
        issuers: [
          { issuer: idp.issuer, tenant: "acme", groupsClaim: "groups" },
          { issuer: other.issuer, tenantClaim: "org", tenants: ["globex"] },
        ],
        clients: [{ id: "desktop", secret: SECRET }, { id: "https://app.example/client.json" }],
        lifetime: 600,
      },
    },
  });
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

const target = () => ({ audience: url, resource, client: "desktop" });

async function redeem(assertion: string, form: Record<string, string> = {}) {
  const body = new URLSearchParams({
    ...{ grant_type: GRANT, assertion, client_id: "desktop", client_secret: SECRET },
    ...form,
  });
  const response = await fetch(`${url}/oauth/token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Json };
}

async function errorOf(changes: AssertionChanges, form = {}): Promise<string> {
  const { status, body } = await redeem(await idp.assert("alice", target(), changes), form);
  return `${status} ${body.error}`;
}

describe("enterprise-managed authorization", () => {
  it("logs in the official client with its company's assertion, without a browser", async () => {
    const provider = new CrossAppAccessProvider({
      assertion: ({ authorizationServerUrl, resourceUrl }) =>
        idp.assert("alice", {
          audience: authorizationServerUrl.replace(/\/$/, ""),
          resource: resourceUrl,
          client: "desktop",
        }),
      clientId: "desktop",
      clientSecret: SECRET,
      expectedIssuer: url,
    });
    const client = new Client({ name: "desktop", version: "1.0.0" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider }),
    );
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });

  it("issues a token for one server that names tenant, user and groups, and no refresh token", async () => {
    const { status, body } = await redeem(await idp.assert("alice", target()));
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "mcp" });
    expect(body.refresh_token).toBeUndefined();
    const claims = JSON.parse(Buffer.from(body.access_token.split(".")[1], "base64url").toString());
    expect(claims).toMatchObject({
      ...{ iss: url, sub: "alice", aud: resource, client_id: "desktop", scope: "mcp" },
      ...{ tenant: "acme", groups: ["engineers"], idp: idp.issuer },
    });
    const list = await fetch(resource.replace("/station/mcp", ""), {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    // The token is for the server, not for the list of servers.
    expect(list.status).toBe(401);
  });

  it("publishes its metadata and its keys to any page", async () => {
    const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`);
    expect(metadata.headers.get("access-control-allow-origin")).toBe("*");
    const body = (await metadata.json()) as Json;
    expect(body).toMatchObject({
      issuer: url,
      grant_types_supported: [GRANT],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    });
    const { keys } = (await (await fetch(body.jwks_uri)).json()) as Json;
    expect(keys).toMatchObject([{ kty: "EC", crv: "P-256", alg: "ES256" }]);
    expect(keys[0].d).toBeUndefined();
  });

  it("rejects the second use of an assertion", async () => {
    const assertion = await idp.assert("alice", target());
    expect((await redeem(assertion)).status).toBe(200);
    expect(await redeem(assertion)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  it("rejects the second use at another gateway, and if the engine can't tell", async () => {
    const engine = createMemoryEngine();
    const grants = () =>
      createEnterpriseGrants({
        ...{ issuer: url, engine, lifetime: 60, clients: [{ id: "desktop" }] },
        providers: [{ issuer: idp.issuer, tenant: "acme" }],
        keys: createSigningKeys([{ id: "a", secret: new Uint8Array(32).fill(1) }]),
        scopesOf: () => ["mcp"],
        revocations: { refusal: () => undefined },
      });
    const request = { clientId: "desktop", assertion: await idp.assert("alice", target()) };
    expect((await grants().exchange(request)).user).toBe("alice");
    await expect(grants().exchange(request)).rejects.toMatchObject({ code: "invalid_grant" });
    const late = grants();
    await engine.close();
    const fresh = { ...request, assertion: await idp.assert("alice", target()) };
    await expect(late.exchange(fresh)).rejects.toMatchObject({
      code: "temporarily_unavailable",
    });
  });

  const now = (): number => Math.floor(Date.now() / 1000);
  it.each<[string, () => AssertionChanges]>([
    ["of another type", () => ({ header: { typ: "JWT" } })],
    ["for another audience", () => ({ claims: { aud: "https://other.example" } })],
    ["issued to another client", () => ({ claims: { client_id: "other" } })],
    ["without a client", () => ({ claims: { client_id: undefined } })],
    ["that has expired", () => ({ claims: { exp: now() - 5 } })],
    ["that lives for a day", () => ({ claims: { exp: now() + 86_400 } })],
    ["without an id", () => ({ claims: { jti: undefined } })],
    ["without an issue time", () => ({ claims: { iat: undefined } })],
    ["signed by an unknown key", () => ({ key: "foreign" })],
    ["of an issuer that isn't trusted", () => ({ claims: { iss: "https://other.example" } })],
    ["that claims to come from the other company", () => ({ claims: { iss: other.issuer } })],
  ])("rejects an assertion %s", async (_name, changes) => {
    expect(await errorOf(changes())).toBe("400 invalid_grant");
  });

  it("rejects an assertion without a signature, or signed with the public key as a secret", async () => {
    const unsigned = new UnsecuredJWT({ client_id: "desktop", jti: "1", resource })
      .setIssuer(idp.issuer)
      .setSubject("alice")
      .setAudience(url)
      .setIssuedAt()
      .setExpirationTime("5m")
      .encode();
    expect((await redeem(unsigned)).body.error).toBe("invalid_grant");
    const key = new TextEncoder().encode(await exportSPKI(idp.publicKey));
    expect(await errorOf({ header: { alg: "HS256" }, key })).toBe("400 invalid_grant");
    expect((await redeem("not a token")).body.error).toBe("invalid_grant");
    expect((await redeem("a".repeat(20_000))).body.error).toBe("invalid_grant");
  });

  it("rejects a provider's users of another company's tenant", async () => {
    const assertion = (org: string) =>
      other.assert("alice", target(), { claims: { org } }).then((text) => redeem(text));
    expect((await assertion("globex")).status).toBe(200);
    expect((await assertion("acme")).body.error).toBe("invalid_grant");
  });

  it("never widens scopes, and issues nothing for foreign resources", async () => {
    expect(await errorOf({ claims: { scope: "calendar" } })).toBe("400 invalid_scope");
    expect(await errorOf({}, { scope: "admin" })).toBe("400 invalid_scope");
    const wide = await redeem(
      await idp.assert("alice", target(), { claims: { scope: "mcp admin" } }),
      { scope: "mcp admin" },
    );
    expect(wide.body.scope).toBe("mcp");
    const claims = { resource: "https://other.example/mcp" };
    expect(await errorOf({ claims })).toBe("400 invalid_target");
    expect(await errorOf({}, { resource: `${url}/servers/other/mcp` })).toBe("400 invalid_target");
    expect(await errorOf({ claims: { resource: undefined } })).toBe("400 invalid_target");
    expect(await errorOf({ claims: { resource: [resource, claims.resource] } })).toBe(
      "400 invalid_target",
    );
  });

  it("authenticates clients", async () => {
    expect(await errorOf({}, { client_secret: "wrong" })).toBe("401 invalid_client");
    expect(await errorOf({}, { client_secret: "" })).toBe("401 invalid_client");
    expect(await errorOf({}, { client_id: "unknown" })).toBe("401 invalid_client");
    const client = "https://app.example/client.json";
    const assertion = await idp.assert("alice", { ...target(), client });
    const body = new URLSearchParams({ grant_type: GRANT, assertion, client_id: client });
    const response = await fetch(`${url}/oauth/token`, { method: "POST", body });
    expect(response.status).toBe(200);
    const twice = `grant_type=${GRANT}&client_id=desktop&client_id=other&assertion=x`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const repeated = await fetch(`${url}/oauth/token`, { method: "POST", body: twice, headers });
    expect(await repeated.json()).toMatchObject({ error: "invalid_request" });
  });

  it("issues nothing for a user whose access was revoked after the assertion", async () => {
    const { revocations } = stage.service.gateway;
    const assertion = await idp.assert("bob", target(), { claims: { iat: now() - 5 } });
    await revocations.revoke({ tenant: "acme", user: "bob" }, { by: "operator" });
    expect((await redeem(assertion)).body.error).toBe("invalid_grant");
  });

  it("limits how often an address may ask", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 300 }, () => redeem("x").then(({ status }) => status)),
    );
    expect(statuses).toContain(429);
    const body = "x".repeat(100_000);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const large = fetch(`${url}/oauth/token`, { method: "POST", body, headers });
    expect([413, 429]).toContain((await large).status);
  });
});
