import { randomName } from "../digest.ts";
import type { ViewStore } from "../view-store.ts";

/** The part of a namespace of Workers KV that is used. */
export interface KvNamespace {
  get(key: string): Promise<string | null>;
  put(key: string, text: string, options: { expirationTtl: number }): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Settings of a store on KV. */
export interface KvStoreOptions {
  /**
   * Adds to a counter that is one for all instances, and returns the sum. KV can't: two instances could
   * both be the first, so a view could be opened twice and a credential used twice. A Durable Object
   * or a Redis server can.
   */
  counter: ViewStore["add"];
  /** In front of each key; `vitrine:` by default. */
  prefix?: string;
  /** Milliseconds since any fixed point. */
  clock?: () => number;
}

// KV accepts no shorter time. Each text contains its own end, which counts.
const SHORTEST_SECONDS = 60;
// A mark has to outlive its text, also if clocks differ.
const MARGIN = 60_000;
const STORED = /^([0-9]{1,16})\.([a-z2-7]{32})\n/;

/** A store for several processes: texts in KV, and counters in something that can count. */
export function kvStore(
  namespace: KvNamespace,
  { counter, prefix = "vitrine:", clock = Date.now }: KvStoreOptions,
): ViewStore {
  const read = async (
    key: string,
  ): Promise<{ text: string; name: string; until: number } | undefined> => {
    const stored = await namespace.get(`${prefix}${key}`);
    const [head = "", until, name] = STORED.exec(stored ?? "") ?? [];
    if (stored === null || name === undefined || !(Number(until) > clock())) return undefined;
    return { text: stored.slice(head.length), name, until: Number(until) };
  };
  return {
    put: async (key, text, { ttl }) => {
      const expirationTtl = Math.max(SHORTEST_SECONDS, Math.ceil(ttl / 1000));
      const head = `${Math.ceil(clock() + ttl)}.${randomName()}`;
      await namespace.put(`${prefix}${key}`, `${head}\n${text}`, { expirationTtl });
    },
    get: async (key) => (await read(key))?.text,
    take: async (key) => {
      const found = await read(key);
      if (!found) return undefined;
      // KV may return a deleted text for a minute, so the counter decides who takes it.
      const ttl = found.until - clock() + MARGIN;
      if ((await counter(`${prefix}taken:${found.name}`, 1, { ttl })) !== 1) return undefined;
      await namespace.delete(`${prefix}${key}`);
      return found.text;
    },
    add: (key, amount, options) => counter(`${prefix}${key}`, amount, options),
    close: () => {},
  };
}
