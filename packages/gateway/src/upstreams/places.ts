import type { CallLifetime } from "./call-lifetime.ts";
import { UpstreamError } from "./upstream.ts";

/** How many at once, and how many may wait. */
export interface PlacesOptions {
  limit: number;
  queue: number;
}

/** A bounded number of places with a bounded queue before them. */
export class Places {
  readonly #limit: number;
  readonly #longestQueue: number;
  readonly #queue = new Set<() => void>();
  #taken = 0;

  constructor({ limit, queue }: PlacesOptions) {
    this.#limit = limit;
    this.#longestQueue = queue;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Takes a place, at once if there is one; gives back how to leave it. Rejects `busy`. */
  take(lifetime?: CallLifetime): (() => void) | Promise<() => void> {
    if (lifetime?.reason) return Promise.reject(lifetime.reason);
    if (this.#taken >= this.#limit) return this.#wait(lifetime).then(() => this.#leaving());
    this.#taken++;
    return this.#leaving();
  }

  #leaving(): () => void {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#leave();
    };
  }

  #wait(lifetime: CallLifetime | undefined): Promise<void> {
    if (this.#queue.size >= this.#longestQueue) {
      const message = `${this.#taken} calls are under way and ${this.#queue.size} wait; try later.`;
      return Promise.reject(new UpstreamError("busy", message));
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        undo?.();
        resolve();
      };
      this.#queue.add(go);
      const undo = lifetime?.onEnd((reason) => {
        this.#queue.delete(go);
        const isLate = reason.code === "timeout";
        reject(isLate ? new UpstreamError("busy", "No place became free in time.") : reason);
      });
    });
  }

  /** The place goes to who waits longest. */
  #leave(): void {
    const [next] = this.#queue;
    if (!next) {
      this.#taken--;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
