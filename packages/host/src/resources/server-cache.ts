// Caches responses of a server. One connection has one user, so nothing is shared between upstreams:
// that is what `cacheScope: "private"` requires, and `"public"` allows it.

import type { ListName, Upstream } from "../upstreams/upstream.ts";

/** A value, and the milliseconds for which it may be kept. */
export type Perishable<T> = [value: T, ttl: number];

interface Entry {
  value: Promise<unknown>;
  /** When it expires. */
  until: number;
  /** Until when it waits for its first reader, if it was prefetched. */
  waits: number;
}

const AHEAD = 5 * 60_000;
const LIMIT = 60_000;
const ENTRIES = 64;

const caches = new WeakMap<Upstream, Map<string, Entry>>();

function open(upstream: Upstream): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  caches.set(upstream, entries);
  upstream.onListChanged((list) => {
    for (const key of entries.keys()) if (key.startsWith(list)) entries.delete(key);
  });
  return entries;
}

/**
 * The result of `load`, now or from the cache. It is kept for as long as it says, and until the
 * server reports that the list changed. Concurrent callers share one request; a failure isn't kept.
 */
export function recall<T>(
  upstream: Upstream,
  list: ListName,
  name: string,
  load: (signal: AbortSignal) => Promise<Perishable<T>>,
  isAhead?: boolean,
): Promise<T> {
  const entries = caches.get(upstream) ?? open(upstream);
  const key = list + name;
  const now = Date.now();
  let entry = entries.get(key);
  if (!entry || Math.max(entry.until, entry.waits) <= now) {
    // No caller's signal here: several callers may share this response. It has a time limit instead.
    const value = load(AbortSignal.timeout(LIMIT)).then(([value, ttl]) => {
      asked.until = Date.now() + ttl;
      return value;
    });
    const asked: Entry = { value, until: Infinity, waits: 0 };
    value.catch(() => entries.get(key) === asked && entries.delete(key));
    entry = asked;
    entries.delete(key);
    entries.set(key, asked);
    for (const oldest of entries.keys()) if (entries.size > ENTRIES) entries.delete(oldest);
  }
  entry.waits = isAhead ? now + AHEAD : 0;
  return entry.value as Promise<T>;
}
