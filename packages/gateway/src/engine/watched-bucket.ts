import type { Kv } from "./engine.ts";

/** A copy of a bucket's JSON values in memory, kept current by a watch. Reading it needs no lookup. */
export interface WatchedBucket<Value> {
  /** Resolves when the copy is complete for the first time. Decide nothing before that. */
  readonly isReady: Promise<void>;
  readonly size: number;
  get(key: string): Value | undefined;
  values(): IterableIterator<Value>;
  /**
   * Waits, for a short time, until the copy of a key is as wanted, so that a writer sees what it wrote. The
   * write itself isn't copied, because a later one of another process may already be known.
   */
  until(key: string, isWanted: (value: Value | undefined) => boolean): Promise<void>;
  /** Called after each change. Returns an unsubscribe function. */
  onChange(fn: (key: string, value: Value | undefined) => void): () => void;
  close(): void;
}

const SOON = 1000;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Follows a bucket. A value that isn't JSON counts as absent. */
export function watchBucket<Value>(kv: Kv): WatchedBucket<Value> {
  const known = new Map<string, Value>();
  const listeners = new Set<(key: string, value: Value | undefined) => void>();
  const { promise: isReady, resolve: onReady } = Promise.withResolvers<void>();
  const onChange: WatchedBucket<Value>["onChange"] = (fn) => {
    listeners.add(fn);
    return () => void listeners.delete(fn);
  };
  const stop = kv.watch(
    ({ key, entry }) => {
      const value = entry && readJson<Value>(entry.value);
      if (value === undefined) known.delete(key);
      else known.set(key, value);
      for (const fn of listeners) fn(key, value);
    },
    { onReady },
  );
  return {
    isReady,
    get size() {
      return known.size;
    },
    get: (key) => known.get(key),
    values: () => known.values(),
    until: async (key, isWanted) => {
      if (isWanted(known.get(key))) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, SOON);
      const off = onChange((changed, value) => {
        if (changed === key && isWanted(value)) resolve();
      });
      await promise;
      clearTimeout(timer);
      off();
    },
    onChange,
    close: () => {
      listeners.clear();
      stop();
    },
  };
}

/** The value of an entry, or undefined if it isn't JSON. */
export function readJson<Value>(bytes: Uint8Array): Value | undefined {
  try {
    return (JSON.parse(decoder.decode(bytes)) as Value | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A value as the bytes of its JSON. */
export function jsonBytes(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}
