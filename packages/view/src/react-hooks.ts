// The hooks of the React entry that aren't in the official SDK.

import type { AppTypes } from "@vitrine/protocol/apps";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { App } from "./app.ts";
import type { Cell } from "./hooks/cell.ts";
import { createKeptValue, type ViewStateOptions } from "./hooks/kept-value.ts";

export type { KeptValue, ViewStateOptions } from "./hooks/kept-value.ts";
export type { ModelContextPart } from "./hooks/model-context.ts";

type AppOrNone<T extends AppTypes> = App<T> | null | undefined;

/**
 * Like `useState`, with a value that the View gets back after a reload or a remount. `name` identifies
 * it within the View. The third item tells whether the old value is back: show nothing that depends on
 * it before.
 */
export function useViewState<Value, T extends AppTypes = AppTypes>(
  app: AppOrNone<T>,
  name: string,
  initial: Value,
  options?: ViewStateOptions<NoInfer<Value>>,
): [
  value: Value,
  setValue: (next: Value | ((value: Value) => Value)) => void,
  isRestored: boolean,
] {
  const [cell, { value, isRestored }] = useCell(app, () => createKeptValue(name, initial, options));
  return [value, cell.set, isRestored];
}

/** Connects a cell while the component is mounted, and renders again when it changes. */
function useCell<State, C extends Cell<State>, T extends AppTypes>(
  app: AppOrNone<T>,
  create: () => C & Cell<State>,
): [cell: C, state: State] {
  const [cell] = useState(create);
  useEffect(() => cell.connect(app as App | null), [cell, app]);
  return [cell, useSyncExternalStore(cell.subscribe, cell.get, cell.get)];
}
