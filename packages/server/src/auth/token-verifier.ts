// Checks access tokens that are JWTs, with the keys that their issuer publishes.

import { createRemoteJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from "jose";

/** A checked token. */
export interface VerifiedToken {
  subject: string;
  issuer: string;
  /** The resources that it was issued for. */
  audience: string | readonly string[];
  clientId?: string | undefined;
  scopes: readonly string[];
  /** In seconds since 1970. */
  expires: number;
  claims: Readonly<Record<string, unknown>>;
}

/** Checks a token. Returns `undefined`, or throws, if it isn't valid. */
export type VerifyToken = (token: string) => Promise<VerifiedToken | undefined>;

/** The issuer's keys can't be fetched, so no token can be checked. */
export class KeysUnavailable extends Error {}

// Only signatures with a private key: a shared one could be the public key, and "none" is none.
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const CLOCK_TOLERANCE = 5;
const PATIENCE = 5000;
const LARGEST_METADATA = 256 * 1024;
// After a failure; otherwise each request would try again.
const PAUSE = 10_000;

/** Checks JWTs of these issuers for one of these audiences. */
export function createTokenVerifier(
  issuers: readonly string[],
  { audience }: { audience: readonly string[] },
): VerifyToken {
  const keys = new Map<string, { ready: Promise<JWTVerifyGetKey>; until: number }>();
  const keysOf = (issuer: string): Promise<JWTVerifyGetKey> => {
    const known = keys.get(issuer);
    if (known && Date.now() < known.until) return known.ready;
    const entry = { ready: findKeys(issuer), until: Number.POSITIVE_INFINITY };
    keys.set(issuer, entry);
    entry.ready.catch(() => {
      entry.until = Date.now() + PAUSE;
    });
    return entry.ready;
  };
  return async (token) => {
    const { iss } = decodeJwt(token);
    // The claim isn't checked yet; it only chooses among the configured issuers.
    const issuer = issuers.find((one) => one === iss);
    if (issuer === undefined) return undefined;
    const key = await keysOf(issuer);
    const { payload } = await jwtVerify(token, key, {
      issuer,
      audience: [...audience],
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE,
      requiredClaims: ["exp", "sub", "aud"],
    }).catch(inWords);
    const { sub = "", aud = [], exp = 0, client_id: client, azp } = payload;
    return {
      subject: sub,
      issuer,
      audience: aud,
      clientId: [client, azp].find((id) => typeof id === "string") as string | undefined,
      scopes: scopesOf(payload),
      expires: exp,
      claims: payload,
    };
  };
}

/** If the issuer can't be reached, nothing is known about the token. */
function inWords(error: unknown): never {
  // The generic code stands for a response without keys.
  const isAboutToken = error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
  if (!isAboutToken || error instanceof errors.JWKSTimeout)
    throw new KeysUnavailable("The issuer's keys can't be fetched.", { cause: error });
  throw error;
}

/** `scope` of RFC 9068, or `scp` of other issuers. */
function scopesOf(claims: Readonly<Record<string, unknown>>): string[] {
  const given = claims.scope ?? claims.scp;
  if (Array.isArray(given)) return given.filter((one) => typeof one === "string");
  return typeof given === "string" ? given.split(" ").filter(Boolean) : [];
}

async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  for (const address of metadataAddresses(new URL(issuer))) {
    const found = await readMetadata(address);
    if (!found) continue;
    if (found.issuer !== issuer)
      throw new KeysUnavailable(`${address.href} is the metadata of another issuer.`);
    const keys = new URL(String(found.jwks_uri));
    checkSafe(keys);
    return createRemoteJWKSet(keys, { timeoutDuration: PATIENCE });
  }
  throw new KeysUnavailable(`${issuer} has no metadata with its keys.`);
}

async function readMetadata(address: URL): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(address, {
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
      headers: { accept: "application/json" },
    });
    if (!response.ok) return undefined;
    const text = await response.text();
    return text.length > LARGEST_METADATA ? undefined : Object(JSON.parse(text));
  } catch (cause) {
    throw new KeysUnavailable(`${address.href} can't be read.`, { cause });
  }
}

/** RFC 8414 inserts its path, OpenID Connect appends it. */
function metadataAddresses({ origin, pathname }: URL): URL[] {
  const path = pathname.replace(/\/$/, "");
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

/** Throws unless the address uses https, or is on this machine. */
export function checkSafe(url: URL): void {
  const isLocal =
    /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname) ||
    url.hostname.endsWith(".localhost");
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return;
  throw new TypeError(`${url.href} must use https. Only addresses on this machine may use http.`);
}
