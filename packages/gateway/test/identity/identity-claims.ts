import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";

/** Checks the identity header as a server does, with the keys that a gateway publishes. */
export function identityVerifier(
  gateway: string,
): (token: string, expected: { issuer: string; audience: string }) => Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${gateway}/.well-known/jwks.json`));
  return async (token, expected) => {
    const type = { typ: "vitrine-identity+jwt", algorithms: ["ES256"] };
    return (await jwtVerify(token, keys, { ...expected, ...type })).payload;
  };
}
