// The hooks of the Svelte entry that aren't in the official SDK, as stores.

import type { AppTypes } from "@vitrine/protocol/apps";
import { derived, type Readable, readable, type Writable } from "svelte/store";
import type { App } from "./app.ts";
import type { Cell } from "./hooks/cell.ts";
import { createKeptValue, type ViewStateOptions } from "./hooks/kept-value.ts";
import type { AppState } from "./mounted-app.ts";

export type { ViewStateOptions } from "./hooks/kept-value.ts";
export type { ModelContextPart } from "./hooks/model-context.ts";

type AppStore<T extends AppTypes> = Readable<AppState<T>>;

/**
 * A value that the View gets back after a reload or a remount. `name` identifies it within the View.
 * `value` is a store that can be bound; `isRestored` tells whether the old one is back.
 */
export function useViewState<Value, T extends AppTypes = AppTypes>(
  view: AppStore<T>,
  name: string,
  initial: Value,
  options?: ViewStateOptions<NoInfer<Value>>,
): { value: Writable<Value>; isRestored: Readable<boolean> } {
  const cell = createKeptValue(name, initial, options);
  const state = storeOf(view, cell);
  const set = (value: Value): void => cell.set(() => value);
  return {
    value: { ...derived(state, ({ value }) => value), set, update: cell.set },
    isRestored: derived(state, ({ isRestored }) => isRestored),
  };
}

/** The value of a cell as a store, which connects it while there are subscribers. */
function storeOf<State, T extends AppTypes>(view: AppStore<T>, cell: Cell<State>): Readable<State> {
  return readable(cell.get(), (set) => {
    let disconnect: (() => void) | undefined;
    const stops = [
      cell.subscribe(() => set(cell.get())),
      view.subscribe(({ app }) => {
        disconnect?.();
        disconnect = cell.connect(app as App | null);
      }),
    ];
    set(cell.get());
    return () => {
      for (const stop of stops) stop();
      disconnect?.();
    };
  });
}
