// A user's login to a server, in three steps. `begin` returns an address for the user's browser. The
// authorization server redirects that browser to `arrive` with a code, which is stored. Only `confirm`,
// called by the same user, exchanges the code for a token. Without that last step, a login link that user A
// began and user B opened would give A access to B's account.

import { createHash, randomBytes } from "node:crypto";
import type { Sealer } from "../../crypto/sealing.ts";
import type { Engine, Kv } from "../../engine/engine.ts";
import type { User } from "../user-token.ts";
import {
  type Authorities,
  asCredentialError,
  type OAuthServer,
  sdk,
  sendsIssuer,
} from "./authority.ts";
import type { Challenges } from "./challenges.ts";
import { CredentialError } from "./credential-error.ts";
import type { LoginGate } from "./login-limits.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import { recordOf, type TokenStore } from "./token-store.ts";

/** Where the browser goes after the authorization server. */
export interface Arrival {
  /** The host's page, with the confirmation in its fragment. Undefined if the caller named no page. */
  location?: string;
  /** The user who began the login sends this to `confirm`. */
  confirmation?: string;
}

/** The query that an authorization server adds to the redirect address. */
export interface Answer {
  state: string;
  code?: string;
  iss?: string;
  error?: string;
}

/** Logins in progress. */
export interface LoginFlow {
  begin(user: User, server: OAuthServer, options?: { returnTo?: string }): Promise<{ url: string }>;
  /** `server` is the server that the redirect address belongs to. */
  arrive(server: string, answer: Answer): Promise<Arrival>;
  confirm(user: User, server: OAuthServer, confirmation: string): Promise<void>;
}

/** The options of `createLoginFlow`. */
export interface LoginFlowOptions {
  engine: Engine;
  sealer: Sealer;
  store: TokenStore;
  authorities: Authorities;
  clients: OAuthClients;
  challenges: Challenges;
  /** Origins of the pages that a browser may be redirected to after a login. */
  origins: readonly string[];
  gate: LoginGate;
  clock?: () => number;
}

interface Begun extends User {
  server: string;
  verifier: string;
  issuer: string;
  resource: string;
  /** Whether the authorization server announced that it sends `iss` (RFC 9207). */
  namesItself: boolean;
  returnTo?: string;
}

interface Arrived extends Begun {
  code: string;
  iss?: string;
}

export const TIME_AT_AUTHORITY: number = 10 * 60_000;
const TIME_TO_CONFIRM = 5 * 60_000;

/** Creates the login flow. */
export function createLoginFlow(options: LoginFlowOptions): LoginFlow {
  const { engine, sealer, store, authorities, clients, gate, clock = Date.now } = options;
  const begun = engine.kv("oauth-begun", { ttl: TIME_AT_AUTHORITY });
  const arrived = engine.kv("oauth-arrived", { ttl: TIME_TO_CONFIRM });

  const start = async (
    user: User,
    server: OAuthServer,
    { state, returnTo }: { state: string; returnTo: string | undefined },
  ): Promise<{ url: string }> => {
    const challenge = await options.challenges.get(user, server.id);
    const authority = await authorities.find(server, challenge?.metadataUrl);
    const clientInformation = await clients.at(server, authority);
    const stored = await store.get(user, server);
    const { startAuthorization, computeScopeUnion } = await sdk();
    // The scopes the user had plus those the server requested for, limited to what the operator allows.
    const requested = computeScopeUnion(stored?.record.scope, challenge?.scope);
    const { scopes } = server.oauth;
    const offered = scopes?.join(" ") ?? authority.scopes.join(" ");
    const scope = withinCeiling(computeScopeUnion(offered, requested), scopes);
    const { authorizationUrl, codeVerifier } = await startAuthorization(authority.issuer, {
      metadata: authority.metadata,
      clientInformation,
      redirectUrl: clients.redirectUri(server.id),
      state,
      resource: authority.resource,
      ...(scope !== undefined && { scope }),
    }).catch((cause: unknown) => {
      throw asCredentialError(cause, `"${server.id}"`);
    });
    await put(begun, sealer, state, {
      tenant: user.tenant,
      user: user.user,
      server: server.id,
      verifier: codeVerifier,
      issuer: authority.issuer,
      resource: authority.resource,
      namesItself: sendsIssuer(authority.metadata),
      ...(returnTo !== undefined && { returnTo }),
    } satisfies Begun);
    return { url: authorizationUrl.href };
  };

  return {
    begin: async (user, server, { returnTo } = {}) => {
      // Check the limits before contacting anyone or storing anything.
      gate.take(user);
      const page = returnTo === undefined ? undefined : readReturn(returnTo, options.origins);
      const state = randomBytes(32).toString("base64url");
      gate.begin(user, state);
      return start(user, server, { state, returnTo: page }).catch((error: unknown) => {
        gate.end(state);
        throw error;
      });
    },
    arrive: async (server, { state, code, iss, error }) => {
      const flow = await take<Begun>(begun, sealer, state);
      if (!flow) throw unknownFlow();
      gate.end(state);
      const { validateAuthorizationResponseIssuer } = await sdk();
      // In an honest response, the redirect address and `iss` both match the server that was used (mix-up
      // attack).
      if (flow.server !== server) throw otherIssuer();
      try {
        validateAuthorizationResponseIssuer({
          iss,
          expectedIssuer: flow.issuer,
          issParameterSupported: flow.namesItself,
        });
      } catch {
        throw otherIssuer();
      }
      if (error !== undefined || code === undefined) {
        return returning(flow.returnTo, "vitrine-connect-error", readError(error));
      }
      const confirmation = randomBytes(32).toString("base64url");
      const kept: Arrived = { ...flow, code, ...(iss !== undefined && { iss }) };
      await put(arrived, sealer, confirmation, kept);
      return { ...returning(flow.returnTo, "vitrine-connect", confirmation), confirmation };
    },
    confirm: async (user, server, confirmation) => {
      gate.take(user);
      const flow = await take<Arrived>(arrived, sealer, confirmation);
      if (!flow || flow.server !== server.id) throw unknownFlow();
      if (flow.user !== user.user || flow.tenant !== user.tenant) {
        throw new CredentialError(
          "other-user",
          "Another user started this login. Log in again from your own session.",
        );
      }
      const { issuer, resource } = flow;
      const metadata = await authorities.byIssuer(issuer, server);
      const clientInformation = await clients.at(server, { issuer, metadata });
      const { exchangeAuthorization } = await sdk();
      const tokens = await exchangeAuthorization(issuer, {
        metadata,
        clientInformation,
        authorizationCode: flow.code,
        codeVerifier: flow.verifier,
        redirectUri: clients.redirectUri(server.id),
        resource,
        fetchFn: server.fetch,
        ...(flow.iss !== undefined && { iss: flow.iss }),
      }).catch((cause: unknown) => {
        throw asCredentialError(cause, `"${server.id}"`);
      });
      if (tokens.token_type.toLowerCase() !== "bearer") {
        throw new CredentialError(
          "incompatible",
          `${issuer} doesn't issue bearer tokens, which the gateway needs.`,
        );
      }
      await store.put(user, server, recordOf(tokens, { issuer, resource, now: clock() }));
      await options.challenges.forget(user, server.id);
    },
  };
}

/** Requests only the scopes in `oauth.scopes`, whatever the server asks for. */
function withinCeiling(
  scope: string | undefined,
  ceiling: readonly string[] | undefined,
): string | undefined {
  if (!ceiling) return scope;
  const within = scope?.split(" ").filter((each) => ceiling.includes(each)) ?? [];
  return within.length > 0 ? within.join(" ") : undefined;
}

/** Returns the page to redirect to, serialized by the same URL parser that validated it. */
function readReturn(returnTo: string, origins: readonly string[]): string {
  const url = URL.canParse(returnTo) ? new URL(returnTo) : undefined;
  const hasUser = url && (url.username !== "" || url.password !== "");
  if (!url || !origins.includes(url.origin) || url.hash || hasUser) {
    throw new CredentialError(
      "bad-return",
      "The return page must have a configured origin, and no fragment or user name. Check its address.",
    );
  }
  // This also removes an empty fragment, which `href` would write as "#".
  url.hash = "";
  return url.href;
}

/** A fragment reaches the page but no server. */
function returning(page: string | undefined, name: string, value: string): Arrival {
  return page === undefined ? {} : { location: `${page}#${name}=${value}` };
}

/** Repeats the authorization server's error code only if it has the expected form. */
function readError(error: string | undefined): string {
  return error !== undefined && /^[a-z_]{1,40}$/.test(error) ? error : "server_error";
}

/** Stores under a hash of the secret, so that read access to the store isn't enough to use it. */
function keyOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

async function put(kv: Kv, sealer: Sealer, secret: string, flow: Begun | Arrived): Promise<void> {
  const key = keyOf(secret);
  await kv.create(key, sealer.seal(JSON.stringify(flow), ["flow", key]));
}

/** Takes a stored login once: of two processes that take the same one, only one gets it (G146). */
async function take<Flow>(kv: Kv, sealer: Sealer, secret: string): Promise<Flow | undefined> {
  const key = keyOf(secret);
  const entry = await kv.get(key);
  if (!entry) return undefined;
  const isMine = await kv.delete(key, entry.revision).then(
    () => true,
    () => false,
  );
  const text = isMine ? sealer.open(entry.value, ["flow", key]) : undefined;
  return text === undefined ? undefined : (JSON.parse(text) as Flow);
}

function unknownFlow(): CredentialError {
  return new CredentialError(
    "unknown-flow",
    "This login is unknown, expired or already used. Log in again.",
  );
}

function otherIssuer(): CredentialError {
  return new CredentialError(
    "issuer",
    "The response came from a different authorization server than expected. Log in again.",
  );
}
