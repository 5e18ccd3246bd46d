// The hooks of the Vue entry that aren't in the official SDK.

import type { AppTypes } from "@vitrine/protocol/apps";
import {
  computed,
  type MaybeRefOrGetter,
  onScopeDispose,
  type Ref,
  type ShallowRef,
  shallowRef,
  toValue,
  type WritableComputedRef,
  watchEffect,
} from "vue";
import type { App } from "./app.ts";
import type { Cell } from "./hooks/cell.ts";
import { createKeptValue, type ViewStateOptions } from "./hooks/kept-value.ts";

export type { ViewStateOptions } from "./hooks/kept-value.ts";
export type { ModelContextPart } from "./hooks/model-context.ts";

type AppSource<T extends AppTypes> = MaybeRefOrGetter<App<T> | null | undefined>;

/**
 * A value that the View gets back after a reload or a remount. `name` identifies it within the View.
 * Assign to `value`; `isRestored` tells whether the old one is back.
 */
export function useViewState<Value, T extends AppTypes = AppTypes>(
  app: AppSource<T>,
  name: string,
  initial: Value,
  options?: ViewStateOptions<NoInfer<Value>>,
): { value: WritableComputedRef<Value>; isRestored: Readonly<Ref<boolean>> } {
  const cell = createKeptValue(name, initial, options);
  const state = useCell(app, cell);
  return {
    value: computed({ get: () => state.value.value, set: (value) => cell.set(() => value) }),
    isRestored: computed(() => state.value.isRestored),
  };
}

/** Connects a cell until the scope ends; the ref has its value. */
function useCell<State, T extends AppTypes>(
  app: AppSource<T>,
  cell: Cell<State>,
): Readonly<ShallowRef<State>> {
  const state = shallowRef(cell.get()) as ShallowRef<State>;
  onScopeDispose(
    cell.subscribe(() => {
      state.value = cell.get();
    }),
  );
  watchEffect((onCleanup) => onCleanup(cell.connect(toValue(app) as App | null)));
  return state;
}
