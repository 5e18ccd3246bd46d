// The last good keys of an issuer, for log-ins while it is down (O11).

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";
import { afterEach, expect, it, vi } from "vitest";
import type { KeyState, KeyStore, StoredKeys } from "../../src/identity/issuer-keys.ts";
import { type IssuerOptions, jwtAuthenticator } from "../../src/identity/user-token.ts";

const open: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of open.splice(0)) close();
});

/** An issuer whose metadata and keys can change. */
async function startIssuer({ keys: count = 1 } = {}) {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
  const keys = Array.from({ length: count }, (_, place) => ({
    ...key,
    kid: place ? `${place}` : "k",
  }));
  const state = { isDown: false, named: "", metadata: "/.well-known/openid-configuration" };
  const server = createServer((request, response) => {
    if (state.isDown) return request.socket.destroy();
    const bodies: Record<string, object> = {
      [state.metadata]: { issuer: state.named, jwks_uri: `${issuer}/jwks` },
      "/jwks": { keys },
    };
    const body = bodies[request.url ?? ""];
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" });
    return response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => server.close().closeAllConnections());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.named = issuer;
  const sign = (claims: Record<string, unknown>, header: JWTHeaderParameters): Promise<string> =>
    new SignJWT({ sub: "ann", iss: issuer, aud: "gateway", scope: "mcp", ...claims })
      .setProtectedHeader(header)
      .setExpirationTime("1h")
      .sign(privateKey);
  const token = (claims: Record<string, unknown> = {}): Promise<string> =>
    sign(claims, { alg: "ES256", kid: "k" });
  return { issuer, state, token, sign };
}

function memoryStore(): KeyStore & { kept: Map<string, StoredKeys> } {
  const kept = new Map<string, StoredKeys>();
  return {
    kept,
    load: async (issuer) => kept.get(issuer),
    save: async (issuer, keys) => void kept.set(issuer, keys),
  };
}

it("finds the keys by the issuer's metadata, in both forms", async () => {
  for (const metadata of [
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
  ]) {
    const { issuer, state, token } = await startIssuer();
    state.metadata = metadata;
    const authenticate = jwtAuthenticator({ issuer, audience: "gateway" });
    expect(await authenticate(await token())).toMatchObject({ user: "ann", issuer });
  }
});

it("doesn't use metadata that names another issuer", async () => {
  const { issuer, state, token } = await startIssuer();
  state.named = "http://127.0.0.1:1";
  const authenticate = jwtAuthenticator({ issuer, audience: "gateway" });
  await expect(authenticate(await token())).rejects.toThrow("can't be loaded");
});

it("uses the last good keys after a restart while the issuer is down, and reports it", async () => {
  const { issuer, state, token } = await startIssuer();
  const store = memoryStore();
  const first = jwtAuthenticator({ issuer, audience: "gateway" }, { store });
  expect(await first(await token())).toBeDefined();
  state.isDown = true;
  const states: KeyState["state"][] = [];
  const onKeys = ({ state }: KeyState): void => void states.push(state);
  const second = jwtAuthenticator({ issuer, audience: "gateway" }, { store, onKeys });
  expect(await second(await token())).toBeDefined();
  state.isDown = false;
  vi.setSystemTime(Date.now() + 3000);
  expect(await second(await token({ sub: "bob" }))).toBeDefined();
  expect(states).toEqual(["stale", "fresh"]);
});

it("doesn't take a token without a key's name for an issuer that is down", async () => {
  const { issuer, token, sign } = await startIssuer({ keys: 2 });
  const states: KeyState["state"][] = [];
  const onKeys = ({ state }: KeyState): void => void states.push(state);
  const authenticate = jwtAuthenticator({ issuer, audience: "gateway" }, { onKeys });
  expect(await authenticate(await sign({}, { alg: "ES256" }))).toBeUndefined();
  expect(await authenticate(await token())).toBeDefined();
  expect(states).toEqual(["fresh"]);
});

it("doesn't use keys that are older than a day", async () => {
  const { issuer, state, token } = await startIssuer();
  const store = memoryStore();
  await jwtAuthenticator({ issuer, audience: "gateway" }, { store })(await token());
  const [kept] = store.kept.values();
  store.kept.set(issuer, { ...(kept as StoredKeys), at: Date.now() - 25 * 3_600_000 });
  state.isDown = true;
  const authenticate = jwtAuthenticator({ issuer, audience: "gateway" }, { store });
  await expect(authenticate(await token())).rejects.toThrow("can't be loaded");
});

it("keeps the users of two issuers apart, whatever tenant a token claims", async () => {
  const [one, two] = [await startIssuer(), await startIssuer()];
  const shared: Omit<IssuerOptions, "issuer"> = { audience: "gateway", tenantClaim: "org" };
  const authenticate = jwtAuthenticator([
    { issuer: one.issuer, ...shared, tenants: ["acme"] },
    { issuer: two.issuer, ...shared, tenants: ["globex"] },
  ]);
  expect(await authenticate(await one.token({ org: "acme" }))).toMatchObject({ tenant: "acme" });
  expect(await authenticate(await two.token({ org: "acme" }))).toBeUndefined();
  // Signed by the second, in the name of the first.
  expect(await authenticate(await two.token({ org: "acme", iss: one.issuer }))).toBeUndefined();
});

it("reads groups and scopes, and rejects a token with more groups than it can keep", async () => {
  const { issuer, token } = await startIssuer();
  const authenticate = jwtAuthenticator({ issuer, audience: "gateway", groupsClaim: "groups" });
  const user = await authenticate(await token({ groups: ["eng", 7, ""], scope: "mcp files" }));
  expect(user).toMatchObject({ groups: ["eng"], scopes: ["mcp", "files"] });
  const many = Array.from({ length: 1200 }, (_, place) => `${place}`);
  expect(await authenticate(await token({ groups: many }))).toBeUndefined();
});

it("rejects a token for another audience", async () => {
  const { issuer, token } = await startIssuer();
  const authenticate = jwtAuthenticator({ issuer });
  const foreign = await token({ aud: "https://other.example/mcp" });
  const own = await token({ aud: ["https://gateway.example/servers/a/mcp"] });
  const resources = ["https://gateway.example/servers/a/mcp"];
  expect(await authenticate(foreign, resources)).toBeUndefined();
  expect(await authenticate(own, resources)).toBeDefined();
  expect(await authenticate(own, ["https://gateway.example/servers/b/mcp"])).toBeUndefined();
  expect(await authenticate(own)).toBeUndefined();
});
