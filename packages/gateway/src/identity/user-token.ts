import { timingSafeEqual } from "node:crypto";
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";

/** The owner of a token. */
export interface User {
  tenant: string;
  user: string;
}

/** A user, and when their token expires. */
export interface AuthenticatedUser extends User {
  /** Milliseconds since 1970. Undefined for a token that doesn't expire. */
  expires?: number;
}

/** Returns the owner of a token, or undefined if the token isn't valid. */
export type Authenticate = (token: string) => Promise<AuthenticatedUser | undefined>;

/** Tokens of an identity provider. */
export interface JwtOptions {
  issuer: string;
  audience: string;
  /** Address of the provider's JSON Web Key Set. */
  jwks: string;
  /** Claim that contains the tenant. Without it, all users belong to one tenant. */
  tenantClaim?: string;
}

// Asymmetric algorithms only: a public key set can't contain a shared secret.
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
/** Errors that mean the token is bad, as opposed to a failure of the gateway or the provider. */
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

/** Checks JWTs against the provider's keys. A valid token is cached for a minute. */
export function jwtAuthenticator(options: JwtOptions): Authenticate {
  const keys = createRemoteJWKSet(new URL(options.jwks), { timeoutDuration: 5000 });
  const known = new Map<string, { user: AuthenticatedUser; until: number }>();
  return async (token) => {
    if (token.length > LONGEST) return undefined;
    const before = known.get(token);
    if (before && before.until > Date.now()) return before.user;
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
      known.set(token, { user: found, until: Math.min(Date.now() + MINUTE, expires) });
      return found;
    } catch (error) {
      if (BAD_TOKEN.some((kind) => error instanceof kind)) return undefined;
      // The provider's keys are unavailable. Reject everyone, and let the caller log the reason.
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
