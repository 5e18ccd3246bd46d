// Returns valid access tokens. A token is refreshed once across all callers and processes, because many
// authorization servers treat a refresh token that is used twice as stolen and end the login.

import type { Engine } from "../../engine/engine.ts";
import { EngineError } from "../../engine/engine-error.ts";
import type { User } from "../user-token.ts";
import { type Authorities, asCredentialError, type OAuthServer, sdk } from "./authority.ts";
import { CredentialError } from "./credential-error.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import { RefreshPauses } from "./refresh-pauses.ts";
import type { Revocation } from "./revocation.ts";
import { loginKey, recordOf, type StoredToken, type TokenStore } from "./token-store.ts";

/** Provides tokens for requests to servers. */
export interface Tokens {
  /** The user's token for a server. Rejects with `not-connected` if there is none. */
  get(user: User, server: OAuthServer): Promise<string>;
  /** A token other than `rejected`, which the server refused. Rejects with `not-connected` if there is none. */
  renew(user: User, server: OAuthServer, rejected: string): Promise<string>;
}

/** The options of `createTokens`. */
export interface TokensOptions {
  engine: Engine;
  store: TokenStore;
  authorities: Authorities;
  clients: OAuthClients;
  revocation: Revocation;
  clock?: () => number;
}

/**
 * Refresh this many milliseconds before expiry, because a request takes time, or at this share of the
 * lifetime.
 */
const MARGIN = 30_000;
const MARGIN_SHARE = 0.2;
const JUST_NOW = 1000;
/** How long one process may take to refresh before another tries. */
const LEASE = 20_000;
const POLL = 50;

/** Creates the token provider. */
export function createTokens(options: TokensOptions): Tokens {
  const { store, clock = Date.now } = options;
  const leases = options.engine.kv("oauth-leases", { ttl: LEASE });
  const running = new Map<string, Promise<string>>();
  const pauses = new RefreshPauses(clock);

  /**
   * A new token is used as it is. Otherwise a token whose lifetime is shorter than the margin would be
   * refreshed for ever.
   */
  const isGood = ({ record }: StoredToken, rejected: string | undefined): boolean => {
    const { accessToken, expires = Infinity, issued = 0 } = record;
    const now = clock();
    const margin = Math.min(MARGIN, MARGIN_SHARE * (expires - issued));
    return accessToken !== rejected && (now - issued < JUST_NOW || expires - margin > now);
  };

  /** Whether the token may still work although it is due for a refresh. */
  const isUsable = ({ record }: StoredToken, rejected: string | undefined): boolean =>
    record.accessToken !== rejected && (record.expires ?? Infinity) > clock();

  /** Refreshes once, or waits for the refresh in progress. */
  const settle = async (
    user: User,
    server: OAuthServer,
    rejected: string | undefined,
  ): Promise<string> => {
    const key = loginKey(user, server.id);
    const isRejected = rejected !== undefined;
    const before = await store.get(user, server);
    if (!before) throw notConnected(server);
    if (isGood(before, rejected)) return before.record.accessToken;
    if (before.record.refreshToken === undefined) {
      if (isUsable(before, rejected)) return before.record.accessToken;
      await store.remove(user, server, before.revision);
      throw notConnected(server);
    }
    try {
      pauses.check(key, { server: server.id, isRejected });
      const after = await refreshOnce(user, server, before);
      pauses.succeed(key, { isRejected });
      return after.record.accessToken;
    } catch (error) {
      if (isUsable(before, rejected) && !isNotConnected(error)) return before.record.accessToken;
      throw error;
    }
  };

  /** Returns the stored token after one refresh, by this process or another. */
  const refreshOnce = async (
    user: User,
    server: OAuthServer,
    before: StoredToken,
  ): Promise<StoredToken> => {
    const end = performance.now() + LEASE + 5000;
    let isDone = false;
    while (!isDone && performance.now() < end) {
      isDone = await refreshAlone(user, server, before);
      const after = await store.get(user, server);
      if (!after) throw notConnected(server);
      if (after.revision !== before.revision) return after;
      if (!isDone) await new Promise((resolve) => setTimeout(resolve, POLL));
    }
    throw new CredentialError(
      "unavailable",
      `Refreshing the login to "${server.id}" took too long. Try again.`,
    );
  };

  /** Returns false if another process holds the lease. */
  const refreshAlone = async (
    user: User,
    server: OAuthServer,
    stored: StoredToken,
  ): Promise<boolean> => {
    const key = loginKey(user, server.id);
    const lease = await tryLease(key);
    if (lease === undefined) return false;
    try {
      // Read again, because the previous holder of the lease may have replaced the token.
      const current = await store.get(user, server);
      if (current?.revision === stored.revision) await refresh(user, server, current);
      return true;
    } catch (error) {
      if (!isNotConnected(error)) pauses.fail(key);
      throw error;
    } finally {
      await leases.delete(key, lease).catch(() => {});
    }
  };

  const tryLease = (key: string): Promise<number | undefined> =>
    leases.create(key, new Uint8Array(1)).catch((error: unknown) => {
      if (error instanceof EngineError && error.code === "exists") return undefined;
      throw error;
    });

  const refresh = async (
    user: User,
    server: OAuthServer,
    { record, revision }: StoredToken,
  ): Promise<void> => {
    const { issuer, resource, refreshToken = "" } = record;
    const metadata = await options.authorities.byIssuer(issuer, server);
    const clientInformation = await options.clients.at(server, { issuer, metadata });
    const { refreshAuthorization } = await sdk();
    try {
      const fresh = await refreshAuthorization(issuer, {
        metadata,
        clientInformation,
        refreshToken,
        resource,
        fetchFn: server.fetch,
      });
      const next = recordOf(fresh, { issuer, resource, now: clock() });
      // A response may leave out values that didn't change.
      const scope = next.scope ?? record.scope;
      const renewed = { ...next, ...(scope && { scope }) };
      const isKept = await store.replace(user, server, renewed, revision);
      // The user logged out during the refresh, so revoke the new tokens.
      if (!isKept) await options.revocation.revoke(server, renewed);
    } catch (cause) {
      const error = asCredentialError(cause, `"${server.id}"`);
      if (error.code !== "denied") throw error;
      // The refresh token won't work again, so the user has to log in.
      await store.remove(user, server, revision);
      throw notConnected(server);
    }
  };

  const single = (user: User, server: OAuthServer, rejected?: string): Promise<string> => {
    const key = JSON.stringify([loginKey(user, server.id), rejected]);
    const before = running.get(key);
    if (before) return before;
    const settling = settle(user, server, rejected).finally(() => running.delete(key));
    running.set(key, settling);
    return settling;
  };

  return {
    get: async (user, server) => {
      const stored = await store.get(user, server);
      if (stored && isGood(stored, undefined)) return stored.record.accessToken;
      return single(user, server);
    },
    renew: (user, server, rejected) => single(user, server, rejected),
  };
}

function isNotConnected(error: unknown): boolean {
  return error instanceof CredentialError && error.code === "not-connected";
}

function notConnected({ id }: OAuthServer): CredentialError {
  return new CredentialError(
    "not-connected",
    `You are not logged in to "${id}". Connect it first.`,
  );
}
