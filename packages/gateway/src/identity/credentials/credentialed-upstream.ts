import type { CallerMessage } from "../../json-rpc/message.ts";
import type {
  DiscoverResult,
  ListenOptions,
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
import type { Tokens } from "./tokens.ts";

/** What an upstream needs to speak for users. */
export interface UpstreamCredentials {
  tokens: Tokens;
  challenges: Challenges;
}

const MOST_USERS = 100_000;

/**
 * An upstream that is spoken to with the user's own token for it. The token that the user has for the
 * gateway never gets here: there is no way in for it.
 */
export class CredentialedUpstream implements Upstream {
  readonly #upstream: Upstream;
  readonly #server: OAuthServer;
  readonly #credentials: UpstreamCredentials;
  /** The newest token of each user who listens, since a stream is opened again without being asked. */
  readonly #newest = new Map<string, string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(upstream: Upstream, server: OAuthServer, credentials: UpstreamCredentials) {
    this.#upstream = upstream;
    this.#server = server;
    this.#credentials = credentials;
  }

  get id(): string {
    return this.#upstream.id;
  }

  get kind(): Upstream["kind"] {
    return this.#upstream.kind;
  }

  send(call: UpstreamCall): Promise<UpstreamAnswer> {
    return this.#as(call.scope, (scope) => this.#upstream.send({ ...call, scope }));
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
    const start = (): void => {
      const newest = this.#newest;
      const headers = {
        // Read at each attempt: a stream outlives its token.
        get authorization(): string {
          return `Bearer ${newest.get(key) ?? ""}`;
        },
      };
      stop ??= this.#upstream.listen({ ...scope, headers }, fn, options);
    };
    // Who is not logged in hears nothing until the first call that works.
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(start));
    this.#token(scope).catch(() => {});
    return () => {
      waiting.delete(start);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
      stop?.();
    };
  }

  async close(): Promise<void> {
    this.#newest.clear();
    this.#waiting.clear();
    await this.#upstream.close();
    await this.#server.close();
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
    try {
      const token =
        rejected === undefined
          ? await tokens.get(user, this.#server)
          : await tokens.renew(user, this.#server, rejected);
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
    this.#waiting.delete(key);
    for (const start of waiting ?? []) start();
  }

  async #note({ tenant, user }: UpstreamScope, { facts }: UpstreamError): Promise<void> {
    const { challenge } = facts;
    if (challenge === undefined) return;
    await this.#credentials.challenges.note({ tenant, user }, this.#server.id, challenge);
  }
}

function keyOf({ tenant, user }: UpstreamScope): string {
  return JSON.stringify([tenant, user]);
}

function withToken(scope: UpstreamScope, token: string): UpstreamScope {
  return { ...scope, headers: { ...scope.headers, authorization: `Bearer ${token}` } };
}
