import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { Exchange } from "../exchange.ts";
import type { PolicyCheck } from "../pipeline.ts";

/** Limits per minute, and for concurrent requests. */
export interface RateLimits {
  viewPerMinute: number;
  userPerMinute: number;
  serverPerMinute: number;
  userAtOnce: number;
}

export const RATE_LIMITS: RateLimits = {
  viewPerMinute: 300,
  userPerMinute: 1200,
  serverPerMinute: 600_000,
  userAtOnce: 64,
};

/** A tenant's limit for all processes together. */
export interface TenantLimit {
  take(tenant: string): boolean;
}

interface Bucket {
  tokens: number;
  at: number;
  /** Requests in flight. */
  running: number;
}

const MINUTE = 60_000;
/** A sixth of a minute's requests may come at once. */
const BURST = 6;
const SWEEP = 4096;

/** Token buckets by key. */
class Buckets {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Seconds until a key that has no token gets one. */
  wait(key: string): number {
    const { tokens = 0 } = this.#buckets.get(key) ?? {};
    return Math.max(1, Math.ceil(((1 - tokens) * MINUTE) / this.#perMinute / 1000));
  }

  /** Takes a token; returns nothing if there is none. */
  take(key: string, at: number): Bucket | undefined {
    const bucket = this.#bucket(key, at);
    const most = this.#perMinute / BURST;
    const refill = ((at - bucket.at) * this.#perMinute) / MINUTE;
    bucket.tokens = Math.min(most, bucket.tokens + refill);
    bucket.at = at;
    if (bucket.tokens < 1) return undefined;
    bucket.tokens -= 1;
    return bucket;
  }

  #bucket(key: string, at: number): Bucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    if (this.#buckets.size >= SWEEP) this.#sweep(at);
    const bucket = { tokens: this.#perMinute / BURST, at, running: 0 };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Deletes the buckets that are full again and have no requests in flight. */
  #sweep(now: number): void {
    for (const [key, { at, running }] of this.#buckets) {
      if (running === 0 && now - at > MINUTE) this.#buckets.delete(key);
    }
  }
}

/**
 * Token buckets for the View, its user and the server: all Views of one user share the user's bucket. They are
 * exact within this process; `tenants` limits a tenant across processes.
 */
export function rateLimitCheck(
  limits: RateLimits = RATE_LIMITS,
  tenants?: TenantLimit,
): PolicyCheck {
  const views = new Buckets(limits.viewPerMinute);
  const users = new Buckets(limits.userPerMinute);
  const servers = new Buckets(limits.serverPerMinute);
  const takeOfServer = (id: string, at: number): Refusal | undefined =>
    servers.take(id, at) ? undefined : tooMany("serverPerMinute", limits, servers.wait(id));
  return {
    name: "rate",
    run: (exchange) => {
      const { caller, server, frame } = exchange;
      const { tenant, ticket } = caller;
      const at = performance.now();
      // The request to the combined endpoint was counted for its caller.
      if (exchange.isPart) return takeOfServer(server.id, at);
      const person = JSON.stringify([tenant, caller.user]);
      if (ticket && !views.take(ticket.jti, at)) {
        return tooMany("viewPerMinute", limits, views.wait(ticket.jti));
      }
      const user = users.take(person, at);
      if (!user) return tooMany("userPerMinute", limits, users.wait(person));
      const refusal = takeOfServer(server.id, at);
      if (refusal) return refusal;
      if (tenants && !tenants.take(tenant)) {
        const message = "Your organization sent too many requests (tenantPerMinute).";
        return refuse("rate", `${message} Try again in 1 s.`, {
          ...{ retryAfter: 1, data: { limit: "tenantPerMinute" } },
        });
      }
      // A notification has no response to wait for.
      return frame.id === undefined ? undefined : start(exchange, user, limits.userAtOnce);
    },
  };
}

const SUBJECTS = {
  viewPerMinute: "This view",
  userPerMinute: "You",
  serverPerMinute: "All users of this server",
} as const;

/** Names the limit, so that the caller can tell the operator which one is too low. */
function tooMany(limit: keyof typeof SUBJECTS, limits: RateLimits, retryAfter: number): Refusal {
  const message = `${SUBJECTS[limit]} may send ${limits[limit]} requests a minute (${limit}). Try again in ${retryAfter} s.`;
  return refuse("rate", message, { retryAfter, data: { limit } });
}

function start(exchange: Exchange, user: Bucket, most: number): Refusal | undefined {
  if (user.running >= most) {
    return refuse(
      "busy",
      `You already have ${most} requests in progress (userAtOnce). Wait for one of them to finish.`,
      { retryAfter: 1, data: { limit: "userAtOnce" } },
    );
  }
  user.running += 1;
  exchange.releases.push(() => {
    user.running -= 1;
  });
  return undefined;
}
