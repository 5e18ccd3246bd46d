import type { Exchange } from "../exchange.ts";
import type { Link } from "../pipeline.ts";
import { refuse } from "../refusal.ts";

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

interface Bucket {
  tokens: number;
  at: number;
}

const MINUTE = 60_000;
const SWEEP = 4096;

/**
 * Token buckets for the View, its user and the server: many Views of one user share the user's. Exact in
 * this process; what a tenant may use in all of them is for the engine.
 */
export function rateLink(
  limits: RateLimits = RATE_LIMITS,
  now: () => number = () => performance.now(),
): Link {
  const buckets = new Map<string, Bucket>();
  const running = new Map<string, number>();

  const take = (key: string, perMinute: number, at: number): boolean => {
    let bucket = buckets.get(key);
    if (!bucket) {
      if (buckets.size >= SWEEP) sweep(buckets, at);
      bucket = { tokens: perMinute / 6, at };
      buckets.set(key, bucket);
    }
    // A sixth of a minute's worth may come at once.
    const refilled = bucket.tokens + ((at - bucket.at) * perMinute) / MINUTE;
    bucket.tokens = Math.min(perMinute / 6, refilled);
    bucket.at = at;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };

  return {
    name: "rate",
    run: (exchange) => {
      const { caller, server, frame } = exchange;
      if (frame.id === undefined) return undefined;
      const user = `${caller.tenant}\n${caller.user}`;
      const at = now();
      const isWithin =
        (!caller.ticket || take(`view\n${caller.ticket.jti}`, limits.viewPerMinute, at)) &&
        take(`user\n${user}`, limits.userPerMinute, at) &&
        take(`server\n${server.id}`, limits.serverPerMinute, at);
      if (!isWithin) return refuse("rate", "Too many requests; wait a little.", { retryAfter: 1 });
      return takePlace(exchange, running, user, limits.userAtOnce);
    },
  };
}

function takePlace(
  exchange: Exchange,
  running: Map<string, number>,
  user: string,
  most: number,
): ReturnType<Link["run"]> {
  const count = running.get(user) ?? 0;
  if (count >= most) {
    return refuse("busy", `${most} requests are under way; await one of them.`, { retryAfter: 1 });
  }
  running.set(user, count + 1);
  exchange.releases.push(() => {
    const left = (running.get(user) ?? 1) - 1;
    if (left > 0) running.set(user, left);
    else running.delete(user);
  });
  return undefined;
}

/** Forgets the buckets that are full again. */
function sweep(buckets: Map<string, Bucket>, at: number): void {
  for (const [key, bucket] of buckets) if (at - bucket.at > MINUTE) buckets.delete(key);
}
