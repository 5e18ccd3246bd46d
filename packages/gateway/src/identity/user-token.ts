import { timingSafeEqual } from "node:crypto";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";

/** Who a token belongs to. */
export interface User {
  tenant: string;
  user: string;
}

/** A user, and when the token that said so expires. */
export interface AuthenticatedUser extends User {
  /** Milliseconds since 1970; nothing for a token that doesn't expire. */
  expires?: number;
}

/** Finds out whose token it is; nothing for a token that is not good. */
export type Authenticate = (token: string) => Promise<AuthenticatedUser | undefined>;

/** Tokens of an identity provider. */
export interface JwtOptions {
  issuer: string;
  audience: string;
  /** Address of its keys. */
  jwks: string;
  /** Claim that names the tenant; one tenant for all without it. */
  tenantClaim?: string;
}

// Only what is signed with a private key: a shared secret has no place in a key set.
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "EdDSA",
];
/** What is wrong with the token, and not with us or the provider. */
const BAD_TOKEN = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWKSNoMatchingKey,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
];
const LONGEST = 16 * 1024;
const REMEMBERED = 10_000;
const MINUTE = 60_000;

/** Checks JWTs against the provider's keys. What was found good is good for a minute. */
export function jwtAuthenticator(
  options: JwtOptions,
  clock: () => number = Date.now,
): Authenticate {
  const keys = createRemoteJWKSet(new URL(options.jwks), { timeoutDuration: 5000 });
  const known = new Map<string, { user: AuthenticatedUser; until: number }>();
  return async (token) => {
    if (token.length > LONGEST) return undefined;
    const before = known.get(token);
    if (before && before.until > clock()) return before.user;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: options.issuer,
        audience: options.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["sub", "exp"],
      });
      const user = readUser(payload, options.tenantClaim);
      if (!user) return undefined;
      if (known.size >= REMEMBERED) known.clear();
      const expires = (payload.exp ?? 0) * 1000;
      const found = { ...user, expires };
      known.set(token, { user: found, until: Math.min(clock() + MINUTE, expires) });
      return found;
    } catch (error) {
      if (BAD_TOKEN.some((kind) => error instanceof kind)) return undefined;
      // The provider's keys cannot be had: nobody gets in, and the operator must hear why.
      throw error;
    }
  };
}

function readUser(payload: JWTPayload, tenantClaim: string | undefined): User | undefined {
  const tenant = tenantClaim ? payload[tenantClaim] : "default";
  return typeof payload.sub === "string" && typeof tenant === "string" && tenant
    ? { tenant, user: payload.sub }
    : undefined;
}

/** One token for one developer, compared in constant time. */
export function devAuthenticator(secret: string): Authenticate {
  const expected = Buffer.from(secret);
  return async (token) => {
    const given = Buffer.from(token);
    const isSame = given.length === expected.length && timingSafeEqual(given, expected);
    return isSame ? { tenant: "dev", user: "developer" } : undefined;
  };
}
