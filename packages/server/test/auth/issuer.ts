import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";

/** An issuer with a key, whose metadata and keys can be fetched. */
export interface Issuer {
  readonly url: string;
  readonly publicKey: CryptoKey;
  /** A token with these claims; `undefined` leaves a usual one out. */
  sign(claims?: Record<string, unknown>, options?: SignOptions): Promise<string>;
  close(): void;
}

export interface SignOptions {
  alg?: string;
  key?: CryptoKey | Uint8Array;
}

/** The address of the server under test. */
export const RESOURCE = "http://localhost:9/mcp";

/** Starts one on loopback. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" };
  const server = createServer((request, response) => {
    const documents: Record<string, object> = {
      "/.well-known/oauth-authorization-server": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": { keys: [jwk] },
    };
    const found = documents[request.url ?? ""];
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = (): number => Math.floor(Date.now() / 1000);
  return {
    url,
    publicKey,
    sign: (claims = {}, { alg = "ES256", key = privateKey } = {}) => {
      const usual = { iss: url, aud: RESOURCE, sub: "ann", exp: now() + 60, scope: "mcp notes" };
      const all = Object.entries({ ...usual, ...claims }).filter(
        ([, value]) => value !== undefined,
      );
      return new SignJWT(Object.fromEntries(all)).setProtectedHeader({ alg, kid: "one" }).sign(key);
    },
    close: () => void server.close().closeAllConnections(),
  };
}
