// Enterprise-managed authorization: a company's identity provider signs an assertion (ID-JAG) that states which
// client may act for which user at this gateway, and the gateway exchanges it for an access token. The user
// isn't asked, because the company decided.

import { hash, randomUUID, timingSafeEqual } from "node:crypto";
import { decodeJwt, type JWTPayload, jwtVerify } from "jose";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine/engine-error.ts";
import { CodedError } from "../errors/coded-error.ts";
import { type IssuerKeys, issuerKeys, type KeyStore, KeysUnavailableError } from "./issuer-keys.ts";
import type { Revocations } from "./revocations.ts";
import { SIGNING_ALGORITHM, type SigningKeys } from "./signing-keys.ts";
import { type IssuerOptions, isBadToken, readUser, TOKEN_ALGORITHMS } from "./user-token.ts";

/** RFC 6749 section 5.2 and RFC 8707. */
export type GrantErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "temporarily_unavailable";

/** Why no token was issued. The message is for the client's developer; `cause` is for the operator. */
export class GrantError extends CodedError<GrantErrorCode> {}

/** A client that may use assertions. */
export interface EnterpriseClient {
  id: string;
  /** Without it, the client is public. */
  secret?: string | undefined;
}

/** The options of `createEnterpriseGrants`. */
export interface EnterpriseGrantsOptions {
  /** The gateway's own issuer, which is its public address. */
  issuer: string;
  /** The identity providers that may sign assertions, each with its tenants. */
  providers: readonly Omit<IssuerOptions, "audience">[];
  clients: readonly EnterpriseClient[];
  /** Lifetime of access tokens in seconds. */
  lifetime: number;
  keys: SigningKeys;
  engine: Engine;
  store?: KeyStore | undefined;
  /** The scopes of a resource of this gateway, or undefined if there is no such resource. */
  scopesOf(resource: string): readonly string[] | undefined;
  revocations: Pick<Revocations, "refusal">;
  clock?: () => number;
}

/** A request to the token endpoint. */
export interface GrantRequest {
  clientId: string;
  clientSecret?: string | undefined;
  assertion: string;
  resource?: string | undefined;
  scope?: string | undefined;
}

/** An issued token. */
export interface IssuedToken {
  token: string;
  /** Seconds. */
  lifetime: number;
  scope: string;
  tenant: string;
  user: string;
  clientId: string;
  resource: string;
}

/** Exchanges assertions for access tokens. */
export interface EnterpriseGrants {
  /** Rejects with a `GrantError`. */
  exchange(request: GrantRequest): Promise<IssuedToken>;
}

/** Of the access tokens, RFC 9068. */
export const ACCESS_TOKEN_TYPE = "at+jwt";
const ASSERTION_TYPE = "oauth-id-jag+jwt";
const LONGEST = 16 * 1024;
/** How long the ids of assertions are remembered. A valid assertion can't live longer. */
const REMEMBERED = 3_600_000;
const LONGEST_ID = 512;

/** Creates the exchange. */
export function createEnterpriseGrants(options: EnterpriseGrantsOptions): EnterpriseGrants {
  const { issuer, clients, lifetime, keys, engine, store, revocations, clock = Date.now } = options;
  const providers = new Map<
    string,
    { provider: Omit<IssuerOptions, "audience">; keys: IssuerKeys }
  >();
  for (const provider of options.providers) {
    const { issuer: name, jwks } = provider;
    providers.set(name, { provider, keys: issuerKeys({ issuer: name, jwks, store }) });
  }
  // An unreadable value must not make an assertion fresh again.
  const used = engine.kv("assertion-ids", { ttl: REMEMBERED, unreadable: "fail" });

  const verify = async (assertion: string) => {
    if (assertion.length > LONGEST) throw invalid("The assertion is too long.");
    try {
      // Only chooses the keys; the signature covers the claim.
      const found = providers.get(decodeJwt(assertion).iss ?? "");
      if (!found) throw invalid("The assertion's issuer isn't trusted here.");
      const { payload } = await jwtVerify(assertion, found.keys.find, {
        issuer: found.provider.issuer,
        audience: issuer,
        typ: ASSERTION_TYPE,
        algorithms: TOKEN_ALGORITHMS,
        currentDate: new Date(clock()),
        requiredClaims: ["sub", "exp", "iat", "jti", "client_id"],
      });
      return { payload, provider: found.provider };
    } catch (cause) {
      if (cause instanceof KeysUnavailableError) {
        const message = "The identity provider's keys can't be loaded. Try again later.";
        throw new GrantError("temporarily_unavailable", message, { cause });
      }
      if (!isBadToken(cause)) throw cause;
      throw invalid("The assertion isn't valid.", cause);
    }
  };

  return {
    exchange: async (request) => {
      authenticate(clients, request);
      const { payload, provider } = await verify(request.assertion);
      // A client can't use the assertion of another.
      if (payload.client_id !== request.clientId) {
        throw invalid("The assertion was issued to another client.");
      }
      const user = readUser(payload, provider);
      if (!user) throw invalid("The assertion doesn't name a user of this gateway.");
      const resource = resourceOf(payload, request);
      const supported = options.scopesOf(resource);
      if (!supported) {
        throw new GrantError("invalid_target", "The resource isn't a server of this gateway.");
      }
      const scope = scopeOf(supported, payload.scope, request.scope);
      const { iat = 0, exp = 0, jti = "" } = payload;
      if (exp * 1000 > clock() + REMEMBERED || jti.length > LONGEST_ID) {
        throw invalid("The assertion lives for more than an hour.");
      }
      if (revocations.refusal(user, iat * 1000)) throw invalid("The user's access was revoked.");
      // Last, so that a request that fails for another reason can be repeated.
      await remember(used, [provider.issuer, jti]);
      const now = Math.floor(clock() / 1000);
      const token = keys.sign(
        {
          ...{ iss: issuer, sub: user.user, aud: resource, client_id: request.clientId },
          ...{ scope, jti: randomUUID(), iat: now, exp: now + lifetime },
          ...{ tenant: user.tenant, groups: user.groups, idp: provider.issuer },
        },
        { typ: ACCESS_TOKEN_TYPE },
      );
      const { tenant, user: name } = user;
      return { token, lifetime, scope, tenant, user: name, clientId: request.clientId, resource };
    },
  };
}

/** How the gateway checks the tokens that it issued itself. */
export function ownIssuer({
  issuer,
  keys,
}: Pick<EnterpriseGrantsOptions, "issuer" | "keys">): IssuerOptions {
  return {
    ...{ issuer, tenantClaim: "tenant", groupsClaim: "groups" },
    local: { jwks: keys.jwks, algorithms: [SIGNING_ALGORITHM], typ: ACCESS_TOKEN_TYPE },
  };
}

function invalid(message: string, cause?: unknown): GrantError {
  return new GrantError("invalid_grant", message, { cause });
}

function authenticate(clients: readonly EnterpriseClient[], request: GrantRequest): void {
  const client = clients.find(({ id }) => id === request.clientId);
  const { secret = "" } = client ?? {};
  const digests = [secret, request.clientSecret ?? ""].map((text) =>
    hash("sha256", text, "buffer"),
  );
  const isSame = timingSafeEqual(digests[0] as Buffer, digests[1] as Buffer);
  // Official clients always send a secret; a public client's isn't checked.
  const isPublic = client !== undefined && client.secret === undefined;
  if (client && (isSame || isPublic)) return;
  throw new GrantError("invalid_client", "The client is unknown or its secret is wrong.");
}

/** The assertion's resource. The request may repeat it, but can't choose another. */
function resourceOf({ resource }: JWTPayload, { resource: requested }: GrantRequest): string {
  const named = [resource ?? requested ?? []].flat();
  const [only] = named;
  if (named.length !== 1 || typeof only !== "string") {
    throw new GrantError("invalid_target", "Name exactly one resource.");
  }
  if (requested !== undefined && requested !== only) {
    throw new GrantError("invalid_target", "The assertion is for another resource.");
  }
  return only;
}

/** The scopes that the resource has, the provider allowed, and the client wants. */
function scopeOf(
  supported: readonly string[],
  allowed: unknown,
  wanted: string | undefined,
): string {
  const lists = [allowed, wanted].filter((list) => list !== undefined);
  if (lists.some((list) => typeof list !== "string")) throw invalid("scope must be text.");
  const sets = (lists as string[]).map((list) => new Set(list.split(" ")));
  const granted = supported.filter((scope) => sets.every((set) => set.has(scope)));
  if (granted.length === 0 && supported.length > 0) {
    throw new GrantError("invalid_scope", `None of the scopes is allowed: ${supported.join(" ")}`);
  }
  return granted.join(" ");
}

/** Rejects the second use of an assertion, at whichever gateway. */
async function remember(
  used: ReturnType<Engine["kv"]>,
  id: readonly [issuer: string, jti: string],
): Promise<void> {
  try {
    await used.create(hash("sha256", JSON.stringify(id), "base64url"), new Uint8Array([1]));
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    if (cause.code === "exists") throw invalid("The assertion was used before. Get a new one.");
    const message = "The gateway can't store that the assertion was used. Try again later.";
    throw new GrantError("temporarily_unavailable", message, { cause });
  }
}
