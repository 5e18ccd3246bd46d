import type { User } from "../user-token.ts";
import { CredentialError } from "./credential-error.ts";

/** Limits how often a user may log in, and how many logins may be pending. Enforced per process. */
export interface LoginLimits {
  /** Login steps that a user may take per minute; a third of them may come at once. */
  perMinute: number;
  /** Logins that a user has started and not finished. */
  pendingOfUser: number;
  /** The same for all users together. */
  pending: number;
}

export const LOGIN_LIMITS: LoginLimits = { perMinute: 30, pendingOfUser: 20, pending: 10_000 };

const MINUTE = 60_000;
const BURST_SHARE = 1 / 3;
const MOST_USERS = 10_000;

/**
 * Limits logins, because each one sends a request to an authorization server and is stored until it finishes
 * or expires.
 */
export class LoginGate {
  readonly #limits: LoginLimits;
  readonly #clock: () => number;
  readonly #pendingTime: number;
  readonly #rates = new Map<string, { tokens: number; at: number }>();
  /** The pending logins by state, oldest first. */
  readonly #all = new Map<string, { user: string; until: number }>();

  constructor(
    limits: LoginLimits,
    { clock, pendingTime }: { clock: () => number; pendingTime: number },
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#pendingTime = pendingTime;
  }

  /** Counts one step of a user. Throws `rate` if there were too many. */
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
      throw tooMany("You're logging in too often", (MINUTE / perMinute) * (1 - tokens));
  }

  /** Counts a login as pending. Throws `rate` if the limit is reached. */
  begin(user: User, state: string): void {
    const now = this.#clock();
    const key = keyOf(user);
    for (const [state, { until }] of this.#all) {
      if (until > now) break;
      this.end(state);
    }
    const own = [...this.#all.values()].filter(({ user }) => user === key);
    if (own.length >= this.#limits.pendingOfUser) {
      throw tooMany("You have too many unfinished logins", (own[0]?.until ?? now) - now);
    }
    const [eldest] = this.#all.values();
    if (this.#all.size >= this.#limits.pending) {
      throw tooMany("The gateway has too many unfinished logins", (eldest?.until ?? now) - now);
    }
    this.#all.set(state, { user: key, until: now + this.#pendingTime });
  }

  /** Removes a login that finished or expired. */
  end(state: string): void {
    this.#all.delete(state);
  }
}

function tooMany(what: string, milliseconds: number): CredentialError {
  const retryAfter = Math.max(1, Math.ceil(milliseconds / 1000));
  const error = new CredentialError("rate", `${what}. Try again in ${retryAfter} s.`);
  error.retryAfter = retryAfter;
  return error;
}

function keyOf({ tenant, user }: User): string {
  return JSON.stringify([tenant, user]);
}
