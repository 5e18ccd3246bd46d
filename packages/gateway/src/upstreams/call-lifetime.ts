import { now } from "../monotonic-clock.ts";
import type { CallSignal } from "./cancellation.ts";
import { UpstreamError } from "./upstream.ts";

/**
 * How long somebody waits for one call: until its deadline or until the caller gives up. An
 * `AbortSignal.any` would do the same at several times the cost, on every call.
 */
export class CallLifetime {
  /** Seldom more than two: an array is quicker than a `Set`. */
  #ends: ((reason: UpstreamError) => void)[] = [];
  readonly #since = now();
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: CallSignal | undefined;
  #reason: UpstreamError | undefined;

  constructor({ signal, deadline }: { signal?: CallSignal; deadline: number }) {
    this.#deadline = deadline;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#end(timedOut(deadline)), deadline);
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** Why it is over; undefined while it is not. */
  get reason(): UpstreamError | undefined {
    return this.#reason;
  }

  /** Milliseconds since it began. */
  get age(): number {
    return now() - this.#since;
  }

  /** Milliseconds left. */
  get rest(): number {
    return this.#reason ? 0 : Math.max(0, this.#deadline - this.age);
  }

  /** Calls `fn` once when it is over, at once if it already is. */
  onEnd(fn: (reason: UpstreamError) => void): () => void {
    if (this.#reason) fn(this.#reason);
    else this.#ends.push(fn);
    return () => {
      const ends = this.#ends;
      if (ends.at(-1) === fn) ends.pop();
      else this.#ends = ends.filter((end) => end !== fn);
    };
  }

  /** The promise, or the end of the lifetime if that comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const undo = this.onEnd(reject);
      promise.then(resolve, reject).finally(undo);
    });
  }

  /** Nobody waits any more. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#ends = [];
  }

  readonly #abort = (): void => {
    const cause: unknown = this.#signal?.reason;
    this.#end(new UpstreamError("aborted", "The caller gave up.", { cause }));
  };

  #end(reason: UpstreamError): void {
    if (this.#reason) return;
    this.#reason = reason;
    const ends = this.#ends;
    this.dispose();
    for (const end of ends) end(reason);
  }
}

function timedOut(deadline: number): UpstreamError {
  return new UpstreamError("timeout", `The server did not answer within ${deadline} ms.`);
}
