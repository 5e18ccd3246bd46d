import { now } from "../../monotonic-clock.ts";
import type { Caller, Exchange } from "../exchange.ts";
import type { Link } from "../pipeline.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** So many in a minute, and so many at once. */
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

/** What a tenant may use in all processes together. */
export interface TenantLimit {
  take(tenant: string): boolean;
}

/** What a rate needs besides its limits. */
export interface RateOptions {
  tenants?: TenantLimit | undefined;
  now?: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

interface UserBucket extends Bucket {
  /** Requests under way. */
  running: number;
}

const MINUTE = 60_000;
/** A sixth of a minute's worth may come at once. */
const BURST = 6;
const SWEEP = 4096;

/**
 * Token buckets for the View, its user and the server: many Views of one user share the user's. Exact in
 * this process; what a tenant may use in all of them is for the engine.
 */
export function rateLink(
  limits: RateLimits = RATE_LIMITS,
  { tenants: tenantLimit, now: clock = now }: RateOptions = {},
): Link {
  // A map for each kind: to put a key together and to hash it would be most of what the link costs.
  const views = new Map<string, Bucket>();
  const servers = new Map<string, Bucket>();
  const tenants = new Map<string, Map<string, UserBucket>>();
  let users = 0;

  const userOf = ({ tenant, user }: Caller, at: number): UserBucket => {
    let known = tenants.get(tenant);
    let bucket = known?.get(user);
    if (!bucket) {
      if (users >= SWEEP) users = sweepUsers(tenants, at);
      known = tenants.get(tenant) ?? new Map();
      tenants.set(tenant, known);
      bucket = { tokens: limits.userPerMinute / BURST, at, running: 0 };
      known.set(user, bucket);
      users += 1;
    }
    return bucket;
  };

  return {
    name: "rate",
    run: (exchange) => {
      const { caller, server, frame } = exchange;
      const at = clock();
      const { viewPerMinute, userPerMinute, serverPerMinute, userAtOnce } = limits;
      const user = userOf(caller, at);
      const isWithin =
        (!caller.ticket ||
          take(bucketOf(views, caller.ticket.jti, viewPerMinute, at), viewPerMinute, at)) &&
        take(user, userPerMinute, at) &&
        take(bucketOf(servers, server.id, serverPerMinute, at), serverPerMinute, at) &&
        (!tenantLimit || tenantLimit.take(caller.tenant));
      if (!isWithin) return refuse("rate", "Too many requests; wait a little.", { retryAfter: 1 });
      // A notification has no response to wait for.
      return frame.id === undefined ? undefined : takePlace(exchange, user, userAtOnce);
    },
  };
}

function bucketOf(
  buckets: Map<string, Bucket>,
  key: string,
  perMinute: number,
  at: number,
): Bucket {
  let bucket = buckets.get(key);
  if (!bucket) {
    if (buckets.size >= SWEEP) sweep(buckets, at);
    bucket = { tokens: perMinute / BURST, at };
    buckets.set(key, bucket);
  }
  return bucket;
}

function take(bucket: Bucket, perMinute: number, at: number): boolean {
  const refilled = bucket.tokens + ((at - bucket.at) * perMinute) / MINUTE;
  bucket.tokens = Math.min(perMinute / BURST, refilled);
  bucket.at = at;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

function takePlace(exchange: Exchange, user: UserBucket, most: number): Refusal | undefined {
  if (user.running >= most) {
    return refuse("busy", `${most} requests are under way; await one of them.`, { retryAfter: 1 });
  }
  user.running += 1;
  exchange.releases.push(() => {
    user.running -= 1;
  });
  return undefined;
}

/** Forgets the buckets that are full again. */
function sweep(buckets: Map<string, Bucket>, at: number): void {
  for (const [key, bucket] of buckets) if (at - bucket.at > MINUTE) buckets.delete(key);
}

/** The same for users, but for those who have something under way; says how many are left. */
function sweepUsers(tenants: Map<string, Map<string, UserBucket>>, now: number): number {
  let left = 0;
  for (const [tenant, users] of tenants) {
    for (const [user, { at, running }] of users) {
      if (running === 0 && now - at > MINUTE) users.delete(user);
    }
    if (users.size === 0) tenants.delete(tenant);
    left += users.size;
  }
  return left;
}
