import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An authorization server that signs user tokens and serves its key set on a loopback address. */
export interface Issuer {
  readonly url: string;
  readonly jwks: string;
  token(tenant: string, user: string, seconds?: number, more?: object): string;
  close(): Promise<void>;
}

export const AUDIENCE = "redteam-gateway";

/** Starts an issuer with a fresh key. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...publicKey.export({ format: "jwk" }), kid: "k1", alg: "ES256", use: "sig" };
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: [key] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    jwks: `${url}/jwks`,
    token: (tenant, user, seconds = 3600, more = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: url, aud: AUDIENCE, sub: user, tid: tenant, iat: now, ...more };
      const head = encode({ alg: "ES256", kid: "k1", typ: "JWT" });
      const text = `${head}.${encode({ ...claims, exp: now + seconds })}`;
      const signature = sign("sha256", Buffer.from(text), {
        key: privateKey,
        dsaEncoding: "ieee-p1363",
      });
      return `${text}.${signature.toString("base64url")}`;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
