// A user's log-in to a server, in three steps. `begin` gives an address for the user's browser. The
// authorization server sends that browser to `arrive` with a code, which is put aside. Only `confirm`, said
// by the same user, makes a token of it: without this last step a link that was begun by one user and
// opened by another would give the first the account of the second.

import { createHash, randomBytes } from "node:crypto";
import type { Engine, Kv } from "../../engine/engine.ts";
import type { Sealer } from "../../sealing.ts";
import type { User } from "../user-token.ts";
import {
  type Authorities,
  asCredentialError,
  doesNameItself,
  type OAuthServer,
  sdk,
} from "./authority.ts";
import type { Challenges } from "./challenges.ts";
import { CredentialError } from "./errors.ts";
import type { LoginGate } from "./login-limits.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import { recordOf, type TokenStore } from "./token-store.ts";

/** Where a browser goes after the authorization server. */
export interface Arrival {
  /** The Host's page, with the confirmation in its fragment; nothing if none was named. */
  location?: string;
  /** To be said by the user that began. */
  confirmation?: string;
}

/** What an authorization server says to a browser, as the query of the redirect address. */
export interface Answer {
  state: string;
  code?: string;
  iss?: string;
  error?: string;
}

/** Log-ins that are under way. */
export interface LoginFlow {
  begin(user: User, server: OAuthServer, options?: { returnTo?: string }): Promise<{ url: string }>;
  /** `server` is the one whose redirect address was called. */
  arrive(server: string, answer: Answer): Promise<Arrival>;
  confirm(user: User, server: OAuthServer, confirmation: string): Promise<void>;
}

/** What log-ins need. */
export interface LoginFlowOptions {
  engine: Engine;
  sealer: Sealer;
  store: TokenStore;
  authorities: Authorities;
  clients: OAuthClients;
  challenges: Challenges;
  /** Of the pages that a browser may be sent back to. */
  origins: readonly string[];
  gate: LoginGate;
  clock?: () => number;
}

interface Begun extends User {
  server: string;
  verifier: string;
  issuer: string;
  resource: string;
  /** Whether the authority promised to name itself. */
  namesItself: boolean;
  returnTo?: string;
}

interface Arrived extends Begun {
  code: string;
  iss?: string;
}

export const TIME_AT_AUTHORITY: number = 10 * 60_000;
const TIME_TO_CONFIRM = 5 * 60_000;

/** Makes the office for log-ins. */
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
    // What the user had and what the server asked for beyond it, never more than the operator allows.
    const asked = computeScopeUnion(stored?.record.scope, challenge?.scope);
    const { scopes } = server.oauth;
    const offered = scopes?.join(" ") ?? authority.scopes.join(" ");
    const scope = withinCeiling(computeScopeUnion(offered, asked), scopes);
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
      namesItself: doesNameItself(authority.metadata),
      ...(returnTo !== undefined && { returnTo }),
    } satisfies Begun);
    return { url: authorizationUrl.href };
  };

  return {
    begin: async (user, server, { returnTo } = {}) => {
      // Before anybody is asked or anything is stored.
      gate.take(user);
      if (returnTo !== undefined) checkReturn(returnTo, options.origins);
      const state = randomBytes(32).toString("base64url");
      gate.begin(user, state);
      return start(user, server, { state, returnTo }).catch((error: unknown) => {
        gate.end(state);
        throw error;
      });
    },
    arrive: async (server, { state, code, iss, error }) => {
      const flow = await take<Begun>(begun, sealer, state);
      if (!flow) throw unknownFlow();
      gate.end(state);
      const { validateAuthorizationResponseIssuer } = await sdk();
      // Both say the same of an honest answer: who was asked, and where the answer was sent to (mix-up).
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
        throw new CredentialError("other-user", "The log-in was begun by another user.");
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
        throw new CredentialError("incompatible", `${issuer} gives out no bearer tokens.`);
      }
      await store.put(user, server, recordOf(tokens, { issuer, resource, now: clock() }));
      await options.challenges.forget(user, server.id);
    },
  };
}

/** `oauth.scopes` is all that is ever asked for, whatever a server wants. */
function withinCeiling(
  scope: string | undefined,
  ceiling: readonly string[] | undefined,
): string | undefined {
  if (!ceiling) return scope;
  const within = scope?.split(" ").filter((each) => ceiling.includes(each)) ?? [];
  return within.length > 0 ? within.join(" ") : undefined;
}

function checkReturn(returnTo: string, origins: readonly string[]): void {
  const url = URL.canParse(returnTo) ? new URL(returnTo) : undefined;
  if (url && origins.includes(url.origin) && !url.hash) return;
  throw new CredentialError(
    "bad-return",
    "The page to return to is not of a configured origin, or has a fragment.",
  );
}

/** In the fragment: it reaches the page and no server. */
function returning(page: string | undefined, name: string, value: string): Arrival {
  return page === undefined ? {} : { location: `${page}#${name}=${value}` };
}

/** The word of an authorization server is repeated only where it can do no harm. */
function readError(error: string | undefined): string {
  return error !== undefined && /^[a-z_]{1,40}$/.test(error) ? error : "server_error";
}

/** Under the hash of what its holder knows, so that who reads the store cannot use it. */
function keyOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

async function put(kv: Kv, sealer: Sealer, secret: string, flow: Begun | Arrived): Promise<void> {
  const key = keyOf(secret);
  await kv.create(key, sealer.seal(JSON.stringify(flow), ["flow", key]));
}

/** Once: of two that come with the same, in whatever process, one gets it (G146). */
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
    "This log-in is unknown, used up or too old; begin anew.",
  );
}

function otherIssuer(): CredentialError {
  return new CredentialError(
    "issuer",
    "The answer is of another authorization server; begin anew.",
  );
}
