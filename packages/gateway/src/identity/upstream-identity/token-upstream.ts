import type { CallerMessage } from "../../json-rpc/message.ts";
import {
  type DiscoverResult,
  type ListenOptions,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "../../upstreams/upstream.ts";

/** Where the tokens for a server come from. */
export interface TokenSource {
  /** Whether all users have the same token. */
  readonly isShared: boolean;
  /** Rejects with an `UpstreamError` if there is none. */
  get(scope: UpstreamScope): Promise<string>;
  /** Another token after the server rejected one. */
  renew(scope: UpstreamScope, rejected: string): Promise<string>;
  /** The newest token, for a stream that outlives one. */
  newest(scope: UpstreamScope): string | undefined;
  close(): Promise<void>;
}

interface Waiting {
  scope: UpstreamScope;
  start(): void;
}

/** An upstream that authenticates with tokens of a source. The caller's own token never reaches the server. */
export class TokenUpstream implements Upstream {
  readonly #upstream: Upstream;
  readonly #source: TokenSource;
  /** Subscriptions of users without a token. They start with the user's next call. */
  readonly #waiting = new Set<Waiting>();

  constructor(upstream: Upstream, source: TokenSource) {
    this.#upstream = upstream;
    this.#source = source;
  }

  get id(): string {
    return this.#upstream.id;
  }

  get kind(): Upstream["kind"] {
    return this.#upstream.kind;
  }

  send(call: UpstreamCall): Promise<UpstreamAnswer> {
    return this.authenticated(call.scope, (scope) => this.#upstream.send({ ...call, scope }));
  }

  notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    return this.authenticated(scope, (own) => this.#upstream.notify(message, own));
  }

  discover(scope: UpstreamScope): Promise<DiscoverResult> {
    return this.authenticated(scope, (own) => this.#upstream.discover(own));
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void {
    let stop: (() => void) | undefined;
    const newest = (): string => this.#source.newest(scope) ?? "";
    const headers = {
      // A getter, because a stream outlives its token.
      get authorization(): string {
        return `Bearer ${newest()}`;
      },
    };
    const waiting: Waiting = {
      scope,
      start: () => {
        this.#waiting.delete(waiting);
        stop = this.#upstream.listen(this.#with(scope, headers), fn, options);
      },
    };
    this.#waiting.add(waiting);
    this.#token(scope).catch(() => {});
    return () => {
      this.#waiting.delete(waiting);
      stop?.();
    };
  }

  async close(): Promise<void> {
    this.#waiting.clear();
    await this.#upstream.close();
    await this.#source.close();
  }

  /** Runs something with the token of a scope, and once more if the server rejected it. */
  async authenticated<Result>(
    scope: UpstreamScope,
    run: (scope: UpstreamScope) => Promise<Result>,
  ): Promise<Result> {
    const token = await this.#token(scope);
    try {
      return await run(this.#with(scope, { authorization: `Bearer ${token}` }));
    } catch (error) {
      const isRejected = error instanceof UpstreamError && error.code === "unauthorized";
      // Another token of the same scopes doesn't allow more. A 401 comes before the call is carried out.
      if (!isRejected || error.facts.status === 403) throw error;
      const fresh = await this.#source.renew(scope, token);
      return run(this.#with(scope, { authorization: `Bearer ${fresh}` }));
    }
  }

  async #token(scope: UpstreamScope): Promise<string> {
    const token = await this.#source.get(scope);
    for (const waiting of [...this.#waiting]) {
      if (this.#source.newest(waiting.scope) !== undefined) waiting.start();
    }
    return token;
  }

  /** Without the caller's token, which must not be sent anywhere else. */
  #with(
    { subject: _subject, ...scope }: UpstreamScope,
    headers: Record<string, string>,
  ): UpstreamScope {
    if (this.#source.isShared) return { ...scope, shared: headers };
    return { ...scope, headers };
  }
}
