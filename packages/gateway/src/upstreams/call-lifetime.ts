import { UpstreamError } from "./upstream.ts";

/** How long a caller waits for one call: until the deadline passes or the caller cancels. */
export class CallLifetime {
  readonly #end = new AbortController();
  readonly #startedAt = performance.now();
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;

  constructor({ signal, deadline }: { signal?: AbortSignal; deadline: number }) {
    this.#deadline = deadline;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#abort(timedOut(deadline)), deadline);
    if (signal?.aborted) this.#cancel();
    else signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  /** Aborted with an `UpstreamError` when the call ends. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Why the call ended; undefined while it runs. */
  get reason(): UpstreamError | undefined {
    return this.#end.signal.reason as UpstreamError | undefined;
  }

  /** Milliseconds since the call started. */
  get age(): number {
    return performance.now() - this.#startedAt;
  }

  /** Milliseconds left until the deadline. */
  get rest(): number {
    return this.reason ? 0 : Math.max(0, this.#deadline - this.age);
  }

  /** Calls `fn` once when the call ends, immediately if it already has. Returns an unsubscribe function. */
  onEnd(fn: (reason: UpstreamError) => void): () => void {
    const { signal } = this.#end;
    const listener = (): void => fn(signal.reason as UpstreamError);
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
    return () => signal.removeEventListener("abort", listener);
  }

  /** Settles like the promise, or rejects when the call ends first. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const unsubscribe = this.onEnd(reject);
      promise.then(resolve, reject).finally(unsubscribe);
    });
  }

  /** Stops the timer and the subscription to the caller's signal. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => {
    const cause: unknown = this.#signal?.reason;
    this.#abort(new UpstreamError("aborted", "The caller cancelled the call.", { cause }));
  };

  #abort(reason: UpstreamError): void {
    this.dispose();
    this.#end.abort(reason);
  }
}

function timedOut(deadline: number): UpstreamError {
  return new UpstreamError("timeout", `The server didn't respond within ${deadline} ms.`);
}
