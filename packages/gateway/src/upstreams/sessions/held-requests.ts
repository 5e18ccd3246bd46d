import { createHash, randomBytes } from "node:crypto";
import type { LegCall } from "../leg.ts";

/** What is kept of a request whose server waits for an answer of the user. */
interface Held<T> {
  value: T;
  digest: string;
  timer: NodeJS.Timeout;
}

/**
 * Requests that this process keeps open while a user is asked. The state given to the client is random, works
 * once, and only for the same request of the same user.
 */
export class HeldRequests<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #time: number;
  readonly #most: number;
  readonly #onExpire: (value: T) => void;

  constructor({
    time,
    most = 16,
    onExpire,
  }: { time: number; most?: number; onExpire(value: T): void }) {
    this.#time = time;
    this.#most = most;
    this.#onExpire = onExpire;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Keeps a request; gives the state that brings it back, or undefined when too many are kept. */
  hold(value: T, call: LegCall): string | undefined {
    if (this.#held.size >= this.#most) return undefined;
    const state = randomBytes(32).toString("base64url");
    const timer = setTimeout(() => {
      this.#held.delete(state);
      this.#onExpire(value);
    }, this.#time);
    this.#held.set(state, { value, digest: digestOf(call), timer });
    return state;
  }

  /** The request that was kept under this state, if `call` is the same one. */
  take(state: string, call: LegCall): T | undefined {
    const held = this.#held.get(state);
    if (!held || held.digest !== digestOf(call)) return undefined;
    clearTimeout(held.timer);
    this.#held.delete(state);
    return held.value;
  }

  close(): void {
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }
}

function digestOf({ scope, message: { method, params } }: LegCall): string {
  const { _meta, inputResponses, requestState, ...own } = params ?? {};
  const { tenant, user } = scope;
  const text = JSON.stringify([tenant, user, method, own], sorted);
  return createHash("sha256").update(text).digest("hex");
}

/** Keys in order, so that a client may write them in another one. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
