// The gateway's own asymmetric keys. They sign the access tokens that it issues and the identity that it
// asserts to servers; everybody can check them with the public key set.

import { createECDH, createPrivateKey, hkdfSync, type KeyObject, sign } from "node:crypto";
import type { JSONWebKeySet, JWK } from "jose";

/** The keys. */
export interface SigningKeys {
  /** The public keys, RFC 7517. */
  readonly jwks: JSONWebKeySet;
  /** A JWT with these claims. Synchronous, because a header is sometimes needed at once. */
  sign(claims: Readonly<Record<string, unknown>>, options: { typ: string }): string;
}

interface SigningKey {
  id: string;
  secret: Uint8Array;
}

/** The only algorithm: it's required of verifiers by RFC 7518, and every library has it. */
export const SIGNING_ALGORITHM = "ES256";
const CURVE = "prime256v1";
/** The order of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Creates key pairs from secrets. The first signs; all are published, so that keys can be rotated. */
export function createSigningKeys(secrets: readonly SigningKey[]): SigningKeys {
  const pairs = secrets.map(createPair);
  const [first] = pairs;
  if (!first) throw new TypeError("At least one signing key is needed.");
  return {
    jwks: { keys: pairs.map(({ jwk }) => jwk) },
    sign: (claims, { typ }) => {
      const header = { alg: SIGNING_ALGORITHM, kid: first.jwk.kid, typ };
      const text = [header, claims].map((part) => encode(JSON.stringify(part))).join(".");
      const signature = sign("sha256", Buffer.from(text), {
        key: first.key,
        dsaEncoding: "ieee-p1363",
      });
      return `${text}.${signature.toString("base64url")}`;
    },
  };
}

function createPair({ id, secret }: SigningKey): { key: KeyObject; jwk: JWK } {
  // 16 bytes more than needed, so that the remainder has no bias.
  const bytes = hkdfSync("sha256", secret, "", "vitrine signing P-256", 48);
  const number = (BigInt(`0x${Buffer.from(bytes).toString("hex")}`) % (ORDER - 1n)) + 1n;
  const scalar = Buffer.from(number.toString(16).padStart(64, "0"), "hex");
  const pair = createECDH(CURVE);
  pair.setPrivateKey(scalar);
  const point = pair.getPublicKey();
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const key = createPrivateKey({
    key: { ...jwk, d: scalar.toString("base64url") },
    format: "jwk",
  });
  return { key, jwk: { ...jwk, kid: id, alg: SIGNING_ALGORITHM, use: "sig" } };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
