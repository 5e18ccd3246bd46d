// A value that a component shows and an `App` changes: what React, Vue and Svelte have in common. The
// hooks of each framework only subscribe to a cell and connect it while their component is mounted.

import type { App } from "../app.ts";

/** The part of an `App` that doesn't depend on the types of its server. */
export type AnyApp = Pick<
  App,
  "state" | "peer" | "onerror" | "getHostCapabilities" | "updateModelContext"
>;

/** A value with subscribers. Its functions can be passed on without the object. */
export interface Cell<State, SomeApp = AnyApp> {
  /** The current value; the same object until it changes. */
  get(): State;
  /** Calls `listener` after each change. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
  /** Uses this `App`, or none yet, until the returned function is called. */
  connect(app: SomeApp | null | undefined): () => void;
}

/** The part of a cell that holds its value. */
export interface Store<State> {
  get(): State;
  /** Replaces some fields and notifies subscribers, unless nothing differs. */
  change(fields: Partial<State>): void;
  subscribe(listener: () => void): () => void;
}

/** Creates a store. */
export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    change: (fields) => {
      const keys = Object.keys(fields) as (keyof State)[];
      if (keys.every((key) => Object.is(fields[key], state[key]))) return;
      state = { ...state, ...fields };
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      // Wrapped, so that a function that subscribes twice is called twice and unsubscribes once.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
