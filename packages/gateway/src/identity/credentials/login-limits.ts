import type { User } from "../user-token.ts";
import { CredentialError } from "./errors.ts";

/** How often a user may ask, and how many log-ins may be pending. Exact in one process. */
export interface LoginLimits {
  /** Steps of a log-in that a user may take in a minute; a third of them at once. */
  perMinute: number;
  /** Log-ins that a user has begun and not finished. */
  pendingOfUser: number;
  /** The same for all users together. */
  pending: number;
}

export const LOGIN_LIMITS: LoginLimits = { perMinute: 30, pendingOfUser: 20, pending: 10_000 };

const MINUTE = 60_000;
const BURST_SHARE = 1 / 3;
const MOST_USERS = 10_000;

/** Limits log-ins: each one asks an authorization server and is stored until it is finished or expires. */
export class LoginGate {
  readonly #limits: LoginLimits;
  readonly #clock: () => number;
  readonly #pendingTime: number;
  readonly #rates = new Map<string, { tokens: number; at: number }>();
  /** When each pending log-in expires: of a user, by its state; the oldest first. */
  readonly #pending = new Map<string, Map<string, number>>();
  readonly #all = new Map<string, { user: string; until: number }>();

  constructor(
    limits: LoginLimits,
    { clock, pendingTime }: { clock: () => number; pendingTime: number },
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#pendingTime = pendingTime;
  }

  /** Counts one step of a user; throws `rate` when there were too many. */
  take(user: User): void {
    const { perMinute } = this.#limits;
    const key = keyOf(user);
    const now = this.#clock();
    const burst = Math.max(1, perMinute * BURST_SHARE);
    const known = this.#rates.get(key) ?? { tokens: burst, at: now };
    const earned = (Math.max(0, now - known.at) * perMinute) / MINUTE;
    const tokens = Math.min(burst, known.tokens + earned);
    this.#rates.delete(key);
    this.#rates.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > MOST_USERS && oldest !== undefined) this.#rates.delete(oldest);
    if (tokens < 1)
      throw tooMany("You ask for log-ins too often", (MINUTE / perMinute) * (1 - tokens));
  }

  /** Counts a log-in as pending; throws `rate` when there is no room for another. */
  begin(user: User, state: string): void {
    const now = this.#clock();
    const key = keyOf(user);
    for (const [state, { until }] of this.#all) {
      if (until > now) break;
      this.end(state);
    }
    const own = this.#pending.get(key) ?? new Map<string, number>();
    const [first] = own.values();
    if (own.size >= this.#limits.pendingOfUser) {
      throw tooMany("You have too many unfinished log-ins", (first ?? now) - now);
    }
    const [eldest] = this.#all.values();
    if (this.#all.size >= this.#limits.pending) {
      throw tooMany("There are too many unfinished log-ins", (eldest?.until ?? now) - now);
    }
    const until = now + this.#pendingTime;
    this.#pending.set(key, own.set(state, until));
    this.#all.set(state, { user: key, until });
  }

  /** The log-in is finished, or has expired. */
  end(state: string): void {
    const known = this.#all.get(state);
    if (!known) return;
    this.#all.delete(state);
    const own = this.#pending.get(known.user);
    own?.delete(state);
    if (own?.size === 0) this.#pending.delete(known.user);
  }
}

function tooMany(what: string, milliseconds: number): CredentialError {
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000));
  const error = new CredentialError("rate", `${what}; try again in ${retryAfter} s.`);
  error.retryAfter = retryAfter;
  return error;
}

function keyOf({ tenant, user }: User): string {
  return JSON.stringify([tenant, user]);
}
