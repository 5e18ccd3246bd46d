// Exchanges a user's token for one that is meant for a server (RFC 8693). The server never sees the token that
// the user sent to the gateway.
//
// Exchanged tokens are kept in the engine, sealed, because a View has a ticket and no token: it uses what its
// user's own calls obtained, at whichever gateway, until that expires.

import { hashOf } from "../../crypto/stable-hash.ts";
import type { Engine } from "../../engine/engine.ts";
import { EngineError } from "../../engine/engine-error.ts";
import { UpstreamError, type UpstreamScope } from "../../upstreams/upstream.ts";
import type { User } from "../user-token.ts";
import type { ServerToken, TokenRequests } from "./token-request.ts";
import type { TokenSource } from "./token-upstream.ts";

/** The options of `createTokenExchange`. */
export interface TokenExchangeOptions {
  /** The server. */
  id: string;
  /** What a stored token is for; it's ignored if the configuration changed. */
  target: string;
  engine: Engine;
  clock?: () => number;
}

/** The exchanged tokens of one server. */
export interface TokenExchange extends TokenSource {
  /** Forgets a user's token, here and in the engine. */
  forget(user: User): Promise<void>;
}

const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
/** Milliseconds before its expiry when a token is replaced. */
const MARGIN = 10_000;
const MOST_USERS = 10_000;
const HOUR = 3_600_000;

/** Creates the exchange of one server. */
export function createTokenExchange(
  requests: TokenRequests,
  { id, target, engine, clock = Date.now }: TokenExchangeOptions,
): TokenExchange {
  const kv = engine.kv("exchanged-tokens", { ttl: HOUR });
  const known = new Map<string, ServerToken>();
  const running = new Map<string, Promise<ServerToken>>();
  const keyOf = ({ tenant, user }: User): string => hashOf([tenant, user, id]);
  const isFresh = (token: ServerToken | undefined): token is ServerToken =>
    token !== undefined && token.expires - MARGIN > clock();

  const keep = (key: string, token: ServerToken): void => {
    if (known.size >= MOST_USERS) known.clear();
    known.set(key, token);
  };
  const exchange = async (key: string, scope: UpstreamScope): Promise<ServerToken> => {
    const { subject } = scope;
    if (!subject) throw notLoggedIn(id);
    const issued = await requests.request({
      grant_type: GRANT,
      subject_token: subject.reveal(),
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
    });
    // It must not outlive the log-in that it comes from.
    const expires = Math.min(issued.expires, subject.expires ?? issued.expires);
    const token = { token: issued.token, expires };
    keep(key, token);
    const value = new TextEncoder().encode(JSON.stringify({ ...token, target }));
    // Without the engine, only this gateway has it.
    await kv.put(key, value).catch(ignoreEngine);
    return token;
  };
  /** One exchange for all calls of a user that need it at the same time. */
  const once = (key: string, scope: UpstreamScope): Promise<ServerToken> => {
    let run = running.get(key);
    if (!run) {
      run = exchange(key, scope).finally(() => running.delete(key));
      running.set(key, run);
    }
    return run;
  };
  const load = async (key: string): Promise<ServerToken | undefined> => {
    const entry = await kv.get(key).catch(ignoreEngine);
    const found = entry && (JSON.parse(new TextDecoder().decode(entry.value)) as StoredToken);
    if (!found || found.target !== target || !isFresh(found)) return undefined;
    keep(key, found);
    return found;
  };

  return {
    isShared: false,
    get: async (scope) => {
      const key = keyOf(scope);
      const own = known.get(key);
      if (isFresh(own)) return own.token;
      const stored = await load(key);
      return (stored ?? (await once(key, scope))).token;
    },
    renew: async (scope, rejected) => {
      const key = keyOf(scope);
      const own = known.get(key);
      if (isFresh(own) && own.token !== rejected) return own.token;
      known.delete(key);
      return (await once(key, scope)).token;
    },
    newest: (scope) => known.get(keyOf(scope))?.token,
    forget: async (user) => {
      known.delete(keyOf(user));
      await kv.delete(keyOf(user)).catch(ignoreEngine);
    },
    close: () => requests.close(),
  };
}

interface StoredToken extends ServerToken {
  target: string;
}

function notLoggedIn(id: string): UpstreamError {
  const message = `There is no token of the user for ${id}. Call the server with the user's own token first.`;
  return new UpstreamError("unauthorized", message, { sent: false });
}

function ignoreEngine(error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error;
  return undefined;
}
