import type { CallerMessage } from "../json-rpc/message.ts";
import {
  type DiscoverResult,
  type ListenOptions,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "../upstreams/upstream.ts";

/** Hears of each call: why it failed, or nothing. */
type Tell = (failure: UpstreamError | undefined) => void;

/** An upstream whose calls are counted. */
export class ObservedUpstream implements Upstream {
  readonly #upstream: Upstream;
  readonly #tell: Tell;

  constructor(upstream: Upstream, tell: Tell) {
    this.#upstream = upstream;
    this.#tell = tell;
  }

  get id(): string {
    return this.#upstream.id;
  }

  get kind(): Upstream["kind"] {
    return this.#upstream.kind;
  }

  send(call: UpstreamCall): Promise<UpstreamAnswer> {
    return this.#seen(this.#upstream.send(call));
  }

  notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    return this.#seen(this.#upstream.notify(message, scope));
  }

  discover(scope: UpstreamScope): Promise<DiscoverResult> {
    return this.#seen(this.#upstream.discover(scope));
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void {
    return this.#upstream.listen(scope, fn, options);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  async #seen<Result>(doing: Promise<Result>): Promise<Result> {
    try {
      const result = await doing;
      this.#tell(undefined);
      return result;
    } catch (error) {
      this.#tell(error instanceof UpstreamError ? error : unexpected(error));
      throw error;
    }
  }
}

function unexpected(cause: unknown): UpstreamError {
  return new UpstreamError("unreachable", "The call failed within the gateway.", { cause });
}
