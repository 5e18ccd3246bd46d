import { useRef, useSyncExternalStore } from "react";

/** A value that components subscribe to. */
export interface Store<Value> {
  get(): Value;
  set(change: Partial<Value>): void;
  subscribe(listener: () => void): () => void;
}

/** Creates a store. */
export function createStore<Value extends object>(initial: Value): Store<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set: (change) => {
      value = { ...value, ...change };
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Subscribes to a store. */
export function useStore<Value>(store: Pick<Store<Value>, "get" | "subscribe">): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Subscribes to some fields of a store; changes of other fields cause no rendering. */
export function useFields<Value, Name extends keyof Value>(
  store: Pick<Store<Value>, "get" | "subscribe">,
  ...names: readonly Name[]
): Pick<Value, Name> {
  const last = useRef<Value>(undefined);
  return useSyncExternalStore(store.subscribe, () => {
    const now = store.get();
    const { current } = last;
    if (current && names.every((name) => Object.is(current[name], now[name]))) return current;
    last.current = now;
    return now;
  });
}
