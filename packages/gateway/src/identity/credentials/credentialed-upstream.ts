import type { CallerMessage } from "../../json-rpc/message.ts";
import { scopeKey } from "../../upstreams/scope-key.ts";
import type {
  DiscoverResult,
  ListenOptions,
  OwnableUpstream,
  Upstream,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
  UpstreamScope,
} from "../../upstreams/upstream.ts";
import { UpstreamError } from "../../upstreams/upstream.ts";
import type { User } from "../user-token.ts";
import type { OAuthServer } from "./authority.ts";
import type { Challenges } from "./challenges.ts";
import { CredentialError } from "./credential-error.ts";
import type { LogoutListener, Logouts } from "./logouts.ts";
import type { Tokens } from "./tokens.ts";

/** Parts that a credentialed upstream needs. */
export interface UpstreamCredentials {
  tokens: Tokens;
  challenges: Challenges;
  logouts: Logouts;
  /** This process's sessions, so that those of a user who logs out can be ended. */
  sessions?: Pick<OwnableUpstream, "end"> | undefined;
}

/** A change subscription that is active while its user is logged in. */
interface Listening {
  start(): void;
  stop(): void;
}

const MOST_USERS = 100_000;

/**
 * An upstream that authenticates with the user's own token for the server. The user's token for the gateway
 * never reaches it, because no parameter carries it.
 */
export class CredentialedUpstream implements Upstream, LogoutListener {
  readonly #upstream: Upstream;
  readonly #server: OAuthServer;
  readonly #credentials: UpstreamCredentials;
  /** The newest token of each subscribed user, because a stream reconnects without a new call. */
  readonly #newest = new Map<string, string>();
  /** Subscriptions of users who aren't logged in, and of those who are. */
  readonly #waiting = new Map<string, Set<Listening>>();
  readonly #listening = new Map<string, Set<Listening>>();
  readonly #running = new Map<string, Set<AbortController>>();
  readonly #leave: () => void;
  #logouts = 0;

  constructor(upstream: Upstream, server: OAuthServer, credentials: UpstreamCredentials) {
    this.#upstream = upstream;
    this.#server = server;
    this.#credentials = credentials;
    this.#leave = credentials.logouts.join(this);
  }

  get id(): string {
    return this.#upstream.id;
  }

  get kind(): Upstream["kind"] {
    return this.#upstream.kind;
  }

  send(call: UpstreamCall): Promise<UpstreamAnswer> {
    return this.#as(call.scope, (scope) => this.#send({ ...call, scope }));
  }

  notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    return this.#as(scope, (own) => this.#upstream.notify(message, own));
  }

  discover(scope: UpstreamScope): Promise<DiscoverResult> {
    return this.#as(scope, (own) => this.#upstream.discover(own));
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void {
    const key = keyOf(scope);
    let stop: (() => void) | undefined;
    const newest = this.#newest;
    const listening: Listening = {
      start: () => {
        const headers = {
          // A getter, because a stream outlives its token.
          get authorization(): string {
            return `Bearer ${newest.get(key) ?? ""}`;
          },
        };
        stop ??= this.#upstream.listen({ ...scope, headers }, fn, options);
      },
      stop: () => {
        stop?.();
        stop = undefined;
      },
    };
    // A user who isn't logged in is subscribed after their first successful call.
    add(this.#waiting, key, listening);
    this.#token(scope).catch(() => {});
    return () => {
      remove(this.#waiting, key, listening);
      remove(this.#listening, key, listening);
      listening.stop();
    };
  }

  /** Stops using the user's token: cancels calls, and pauses subscriptions until the next login. */
  async logOut({ tenant, user }: User): Promise<void> {
    const key = keyOf({ tenant, user });
    this.#logouts += 1;
    this.#newest.delete(key);
    for (const run of this.#running.get(key) ?? []) run.abort(LOGGED_OUT);
    for (const listening of this.#listening.get(key) ?? []) {
      listening.stop();
      add(this.#waiting, key, listening);
    }
    this.#listening.delete(key);
    // A session with a user's own credential is never shared, whatever the server's `sharing` setting.
    const headers = { authorization: "" };
    await this.#credentials.sessions?.end(scopeKey({ tenant, user, headers }, "user"));
  }

  async close(): Promise<void> {
    this.#leave();
    this.#newest.clear();
    this.#waiting.clear();
    this.#listening.clear();
    await this.#upstream.close();
    await this.#server.close();
  }

  async #send(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { scope, signal } = call;
    const key = keyOf(scope);
    const run = new AbortController();
    add(this.#running, key, run);
    try {
      return await this.#upstream.send({ ...call, signal: AbortSignal.any([signal, run.signal]) });
    } finally {
      remove(this.#running, key, run);
    }
  }

  async #as<Result>(
    scope: UpstreamScope,
    run: (scope: UpstreamScope) => Promise<Result>,
  ): Promise<Result> {
    const token = await this.#token(scope);
    try {
      return await run(withToken(scope, token));
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.code !== "unauthorized") throw error;
      await this.#note(scope, error);
      // Refreshing doesn't widen the scope of a token.
      if (error.facts.status === 403) throw error;
      // The server rejected the call before executing it, so one retry is safe.
      const fresh = await this.#token(scope, token);
      return run(withToken(scope, fresh));
    }
  }

  async #token(scope: UpstreamScope, rejected?: string): Promise<string> {
    const { tokens } = this.#credentials;
    const user: User = { tenant: scope.tenant, user: scope.user };
    const before = this.#logouts;
    try {
      let token =
        rejected === undefined
          ? await tokens.get(user, this.#server)
          : await tokens.renew(user, this.#server, rejected);
      // The user logged out during the read, so read again.
      if (before !== this.#logouts) token = await tokens.get(user, this.#server);
      this.#remember(keyOf(scope), token);
      return token;
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      const code = error.code === "not-connected" ? "unauthorized" : "unreachable";
      throw new UpstreamError(code, error.message, { sent: false });
    }
  }

  #remember(key: string, token: string): void {
    if (this.#newest.size >= MOST_USERS && !this.#newest.has(key)) this.#newest.clear();
    this.#newest.set(key, token);
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    for (const listening of waiting) {
      listening.start();
      add(this.#listening, key, listening);
    }
  }

  async #note({ tenant, user }: UpstreamScope, { facts }: UpstreamError): Promise<void> {
    const { challenge } = facts;
    if (challenge === undefined) return;
    await this.#credentials.challenges.note({ tenant, user }, this.#server.id, challenge);
  }
}

const LOGGED_OUT = new DOMException("The user logged out of the server.", "AbortError");

function add<Item>(all: Map<string, Set<Item>>, key: string, item: Item): void {
  const those = all.get(key);
  if (those) those.add(item);
  else all.set(key, new Set([item]));
}

function remove<Item>(all: Map<string, Set<Item>>, key: string, item: Item): void {
  const those = all.get(key);
  if (those?.delete(item) && those.size === 0) all.delete(key);
}

function keyOf({ tenant, user }: UpstreamScope): string {
  return JSON.stringify([tenant, user]);
}

function withToken(scope: UpstreamScope, token: string): UpstreamScope {
  return { ...scope, headers: { ...scope.headers, authorization: `Bearer ${token}` } };
}
