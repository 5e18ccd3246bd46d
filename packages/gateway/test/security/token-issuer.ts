import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type Authenticate, jwtAuthenticator } from "../../src/identity/user-token.ts";

interface IssuerClaims {
  iat?: number;
  aud?: string | string[];
  tid?: string;
  groups?: string[];
}

/** An identity provider with one key, and the check of its tokens. */
export interface TokenIssuer extends AsyncDisposable {
  issuer: string;
  authenticate: Authenticate;
  /** A token that expires at a time in seconds since 1970. */
  token(user: string, exp: number, claims?: IssuerClaims): Promise<string>;
}

export async function startIssuer(): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
  const server = createServer((_request, answer) => {
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ keys: [key] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    authenticate: jwtAuthenticator({ issuer, audience: "vitrine", jwks: `${issuer}/jwks` }),
    token: (user, exp, claims = {}) =>
      new SignJWT({ sub: user, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "k" })
        .setIssuer(issuer)
        .setAudience(claims.aud ?? "vitrine")
        .setExpirationTime(exp)
        .sign(privateKey),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
