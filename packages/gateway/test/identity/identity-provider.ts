// A company's identity provider: it serves real keys and signs whatever a test wants, also what it shouldn't.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Changes to an assertion. Undefined removes a claim. */
export interface AssertionChanges {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Signs with a key that isn't published, or with a shared secret. */
  key?: "foreign" | Uint8Array;
}

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly publicKey: CryptoKey;
  /** An assertion (ID-JAG) for a user. */
  assert(
    user: string,
    to: { audience: string; resource: string; client: string },
    changes?: AssertionChanges,
  ): Promise<string>;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const foreign = await generateKeyPair("RS256");
  const key = { ...(await exportJWK(publicKey)), kid: "idp", alg: "RS256", use: "sig" };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    const isKeys = request.url === "/keys";
    response.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let count = 0;
  return {
    issuer,
    publicKey,
    assert: (user, { audience, resource, client }, changes = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        ...{ iss: issuer, sub: user, aud: audience, client_id: client, resource, scope: "mcp" },
        ...{ jti: `${issuer} ${++count}`, iat: now, exp: now + 300, groups: ["engineers"] },
        ...changes.claims,
      };
      const header = { alg: "RS256", kid: "idp", typ: "oauth-id-jag+jwt", ...changes.header };
      const signer = changes.key === "foreign" ? foreign.privateKey : (changes.key ?? privateKey);
      return new SignJWT(claims).setProtectedHeader(header).sign(signer);
    },
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
    },
  };
}
