import type { KvNamespace } from "../src/stores/kv-store.ts";

/**
 * An imitation of Workers KV with its weaknesses: a time of less than a minute is an error, and a text
 * that was deleted or has expired can still be read for a while.
 */
export function createFakeKv({ isStale = true } = {}): KvNamespace & { deleted: Set<string> } {
  const kept = new Map<string, string>();
  const deleted = new Set<string>();
  return {
    deleted,
    get: async (key) => {
      await new Promise((done) => setImmediate(done));
      return !isStale && deleted.has(key) ? null : (kept.get(key) ?? null);
    },
    put: async (key, text, { expirationTtl }) => {
      if (!Number.isInteger(expirationTtl) || expirationTtl < 60) {
        throw new Error(`KV PUT failed: 400 Invalid expiration_ttl of ${expirationTtl}`);
      }
      deleted.delete(key);
      kept.set(key, text);
    },
    delete: async (key) => void deleted.add(key),
  };
}
