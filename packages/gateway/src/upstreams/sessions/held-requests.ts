import { createHash, randomBytes } from "node:crypto";
import type { TransportCall } from "../transport.ts";

/** Requests of one session that may wait for their users. */
const MOST = 16;

/** A request whose server waits for input from the user. */
interface Held<T> {
  value: T;
  digest: string;
  timer: NodeJS.Timeout;
}

/**
 * Requests that stay open while a user is prompted. The state sent to the client is random, works once, and
 * only for the same request of the same user.
 */
export class HeldRequests<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #time: number;
  readonly #onExpire: (value: T) => void;

  constructor({ time, onExpire }: { time: number; onExpire(value: T): void }) {
    this.#time = time;
    this.#onExpire = onExpire;
  }

  /** Holds a request. Returns the state to resume it, or undefined if too many are held. */
  hold(value: T, call: TransportCall): string | undefined {
    if (this.#held.size >= MOST) return undefined;
    const state = randomBytes(32).toString("base64url");
    const timer = setTimeout(() => {
      this.#held.delete(state);
      this.#onExpire(value);
    }, this.#time);
    this.#held.set(state, { value, digest: digestOf(call), timer });
    return state;
  }

  /** Takes the request held under this state, if `call` is the same request. */
  take(state: string, call: TransportCall): T | undefined {
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

function digestOf({ scope, message: { method, params } }: TransportCall): string {
  const { _meta, inputResponses, requestState, ...own } = params ?? {};
  const { tenant, user } = scope;
  const text = JSON.stringify([tenant, user, method, own], sorted);
  return createHash("sha256").update(text).digest("hex");
}

/** Sorts keys, so that a client may send them in another order. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
