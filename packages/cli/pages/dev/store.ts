import { useRef, useSyncExternalStore } from "react";

/** A value that components follow. */
export interface Store<Value> {
  get(): Value;
  set(change: Partial<Value>): void;
  subscribe(listener: () => void): () => void;
}

/** Makes one. */
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

/** Follows a store. */
export function useStore<Value>(store: Pick<Store<Value>, "get" | "subscribe">): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Follows some fields of a store; another one's change draws nothing anew. */
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
