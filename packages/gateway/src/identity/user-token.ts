import { timingSafeEqual } from "node:crypto";
import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from "jose";
import { type IssuerKeys, issuerKeys, type KeyState, type KeyStore } from "./issuer-keys.ts";

/** The owner of a token. */
export interface User {
  tenant: string;
  user: string;
}

/** A user, and the claims of their token. */
export interface AuthenticatedUser extends User {
  /** Milliseconds since 1970. Undefined for a token that doesn't expire. */
  expires?: number;
  /** Milliseconds since 1970. */
  issuedAt?: number;
  issuer?: string;
  groups?: readonly string[];
  /** Undefined for a token without scopes, which only `devAuthenticator` accepts. */
  scopes?: readonly string[];
}

/**
 * Returns the owner of a token, or undefined if the token isn't valid. `resources` are the addresses that the
 * token may have been issued for.
 */
export type Authenticate = (
  token: string,
  resources?: readonly string[],
) => Promise<AuthenticatedUser | undefined>;

/** An identity provider. */
export interface IssuerOptions {
  issuer: string;
  /** Accepted for every server, next to the address of the server that is called. */
  audience?: string | undefined;
  /** Address of the provider's JSON Web Key Set. By default the provider's metadata names it. */
  jwks?: string | undefined;
  /** The tenant of all users of this provider. */
  tenant?: string | undefined;
  /** Claim that contains the tenant. Without it and `tenant`, all users belong to one tenant. */
  tenantClaim?: string | undefined;
  /** The values of `tenantClaim` that this provider may use. Needed with several providers. */
  tenants?: readonly string[] | undefined;
  /** Claim that contains the groups, a list of strings. */
  groupsClaim?: string | undefined;
  /** Set for the gateway's own tokens: keys that needn't be fetched, and the type of its tokens. */
  local?: { jwks: JSONWebKeySet; algorithms: readonly string[]; typ: string } | undefined;
}

/** What the providers have in common. */
export interface JwtOptions {
  /** Keeps the last good keys. */
  store?: KeyStore | undefined;
  /** Loads the keys now rather than with the first token, so that a problem shows early. */
  preload?: boolean | undefined;
  /** Called when the state of a provider's keys changes. */
  onKeys?: ((state: KeyState) => void) | undefined;
}

// Asymmetric algorithms only: a public key set can't contain a shared secret.
export const TOKEN_ALGORITHMS: string[] = [
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
  // A token that doesn't say which of several keys signed it.
  errors.JWKSMultipleMatchingKeys,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
];
const LONGEST = 16 * 1024;
const REMEMBERED = 10_000;
const MINUTE = 60_000;
const MOST_NAMES = 1000;
const LONGEST_NAME = 256;

/** Checks JWTs of one or several providers. A valid token is cached for a minute. */
export function jwtAuthenticator(
  issuers: IssuerOptions | readonly IssuerOptions[],
  { store, onKeys, preload = false }: JwtOptions = {},
): Authenticate {
  const providers = new Map<string, { options: IssuerOptions; keys: IssuerKeys }>();
  for (const options of Array.isArray(issuers) ? issuers : [issuers]) {
    const { issuer, jwks, local } = options as IssuerOptions;
    const keys = local
      ? { find: createLocalJWKSet(local.jwks), preload: async () => {} }
      : issuerKeys({ issuer, jwks, store, onState: onKeys });
    providers.set(issuer, { options, keys });
    if (preload) void keys.preload();
  }
  const known = new Map<string, KnownToken>();
  const verify = async (token: string): Promise<KnownToken | undefined> => {
    // Only chooses the keys; the signature covers the claim.
    const provider = providers.get(decodeJwt(token).iss ?? "");
    if (!provider) return undefined;
    const { options, keys } = provider;
    const { payload } = await jwtVerify(token, keys.find, {
      issuer: options.issuer,
      algorithms: [...(options.local?.algorithms ?? TOKEN_ALGORITHMS)],
      requiredClaims: ["sub", "exp", "aud"],
      // The same key signs other tokens, which aren't for the gateway.
      ...(options.local && { typ: options.local.typ }),
    });
    const user = readUser(payload, options);
    if (!user) return undefined;
    const expires = (payload.exp ?? 0) * 1000;
    const { iat } = payload;
    return {
      user: { ...user, expires, ...(iat !== undefined && { issuedAt: iat * 1000 }) },
      audiences: [payload.aud ?? []].flat(),
      general: options.audience,
      until: Math.min(Date.now() + MINUTE, expires),
    };
  };
  const remember = async (token: string): Promise<KnownToken | undefined> => {
    const before = known.get(token);
    if (before && before.until > Date.now()) return before;
    const found = await verify(token).catch((error: unknown) => {
      if (isBadToken(error)) return undefined;
      // The provider's keys are unavailable. Reject everyone, and let the caller log the reason.
      throw error;
    });
    if (known.size >= REMEMBERED) known.clear();
    if (found) known.set(token, found);
    return found;
  };
  return async (token, resources = []) => {
    const found = token.length > LONGEST ? undefined : await remember(token);
    // RFC 8707: a token for another address isn't for this one.
    const isFor = (one: string): boolean => one === found?.general || resources.includes(one);
    return found?.audiences.some(isFor) ? found.user : undefined;
  };
}

interface KnownToken {
  user: AuthenticatedUser;
  audiences: readonly string[];
  /** The audience for every server. */
  general: string | undefined;
  until: number;
}

/** Whether an error means that the token is bad. */
export function isBadToken(error: unknown): boolean {
  return BAD_TOKEN.some((kind) => error instanceof kind);
}

/** The user in the claims of a token. Undefined if they aren't a user of the provider's tenants. */
export function readUser(
  payload: JWTPayload,
  options: IssuerOptions,
): AuthenticatedUser | undefined {
  const { issuer, tenantClaim, tenants, groupsClaim } = options;
  const tenant = tenantClaim ? payload[tenantClaim] : (options.tenant ?? "default");
  if (typeof payload.sub !== "string" || typeof tenant !== "string" || !tenant) return undefined;
  if (tenants && !tenants.includes(tenant)) return undefined;
  const groups = groupsClaim ? readNames(payload[groupsClaim]) : [];
  const scopes = readScopes(payload);
  return groups && scopes && { tenant, user: payload.sub, issuer, groups, scopes };
}

/** `scope` is a text of RFC 9068; some providers send a list in `scp`. */
function readScopes({ scope, scp }: JWTPayload): string[] | undefined {
  const given = scope ?? scp;
  return typeof given === "string" ? readNames(given.split(" ")) : readNames(given);
}

/** Undefined for a list that is too long: a policy may forbid something to a group that was cut off. */
function readNames(value: unknown): string[] | undefined {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const names = values.filter((one) => typeof one === "string").filter((one) => one !== "");
  const fits = names.length <= MOST_NAMES && names.every(({ length }) => length <= LONGEST_NAME);
  return fits ? names : undefined;
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
