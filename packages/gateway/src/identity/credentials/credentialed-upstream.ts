import type { CallerMessage } from "../../json-rpc/message.ts";
import { Cancellation } from "../../upstreams/cancellation.ts";
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
import { CredentialError } from "./errors.ts";
import type { LogoutListener, Logouts } from "./logouts.ts";
import type { Tokens } from "./tokens.ts";

/** What an upstream needs to speak for users. */
export interface UpstreamCredentials {
  tokens: Tokens;
  challenges: Challenges;
  logouts: Logouts;
  /** What has the sessions of this process, to end those of a user who logs out. */
  sessions?: Pick<OwnableUpstream, "end"> | undefined;
}

/** A stream of news that runs while its user is logged in. */
interface Listening {
  start(): void;
  stop(): void;
}

const MOST_USERS = 100_000;

/**
 * An upstream that is spoken to with the user's own token for it. The token that the user has for the
 * gateway never gets here: there is no way in for it.
 */
export class CredentialedUpstream implements Upstream, LogoutListener {
  readonly #upstream: Upstream;
  readonly #server: OAuthServer;
  readonly #credentials: UpstreamCredentials;
  /** The newest token of each user who listens, since a stream is opened again without being asked. */
  readonly #newest = new Map<string, string>();
  /** Streams of users who aren't logged in, and of those who are. */
  readonly #waiting = new Map<string, Set<Listening>>();
  readonly #listening = new Map<string, Set<Listening>>();
  readonly #running = new Map<string, Set<Cancellation>>();
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
          // Read at each attempt: a stream outlives its token.
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
    // Who is not logged in hears nothing until the first call that works.
    add(this.#waiting, key, listening);
    this.#token(scope).catch(() => {});
    return () => {
      remove(this.#waiting, key, listening);
      remove(this.#listening, key, listening);
      listening.stop();
    };
  }

  /** The user's token is used no more: calls are broken off, streams wait for the next log-in. */
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
    // Whatever the server's sharing, a session with a user's own credential is the user's alone.
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
    const run = new Cancellation();
    const forward = (): void => run.abort(signal.reason);
    if (signal.aborted) forward();
    signal.addEventListener("abort", forward, { once: true });
    add(this.#running, key, run);
    try {
      return await this.#upstream.send({ ...call, signal: run });
    } finally {
      signal.removeEventListener("abort", forward);
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
      // A token that is good for too little stays that when it is refreshed.
      if (error.facts.status === 403) throw error;
      // Turned away before anything was done: it may be said again, once.
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
      // Somebody logged out while this was read: what is stored now counts.
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
