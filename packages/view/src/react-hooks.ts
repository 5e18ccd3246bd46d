// The hooks of the React entry that aren't in the official SDK.

import type { AppTypes } from "@vitrine/protocol/apps";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { App } from "./app.ts";
import type { AnyApp, Cell } from "./hooks/cell.ts";
import {
  createDisplayMode,
  type DisplayModeCell,
  type DisplayModeState,
} from "./hooks/display-mode.ts";
import { createKeptValue, type ViewStateOptions } from "./hooks/kept-value.ts";
import { type ModelContextPart, setModelContext } from "./hooks/model-context.ts";
import { createPartialInput, type PartialInput } from "./hooks/partial-input.ts";
import { createToolCall, type ToolCallActions, type ToolCallState } from "./hooks/tool-call.ts";
import {
  createUpload,
  type UploadActions,
  type UploadOptions,
  type UploadState,
} from "./hooks/upload.ts";
import type { ToolAnswer, ToolName } from "./typed-app.ts";

type AppOrNone<T extends AppTypes> = App<T> | null | undefined;

/**
 * Like `useState`, with a value that the View gets back after a reload or a remount. `name` identifies
 * it within the View. The third item tells whether the old value is back: show nothing that depends on
 * it before.
 */
export function useViewState<Value>(
  app: AnyApp | null | undefined,
  name: string,
  initial: Value,
  options?: ViewStateOptions<NoInfer<Value>>,
): [
  value: Value,
  setValue: (next: Value | ((value: Value) => Value)) => void,
  isRestored: boolean,
] {
  const [cell] = useState(() => createKeptValue(name, initial, options));
  const { value, isRestored } = useCell(app, cell);
  return [value, cell.set, isRestored];
}

/** Calls a tool of the server: `run(args)`, and the state of the latest call. */
export function useToolCall<T extends AppTypes, N extends ToolName<T>>(
  app: AppOrNone<T>,
  name: N,
): ToolCallState<ToolAnswer<T, N>> & ToolCallActions<T, N> {
  const [cell] = useState(() => createToolCall<T, N>(name));
  const { run, cancel, reset } = cell;
  return { ...useCell(app, cell), run, cancel, reset };
}

/** The tool's input while the model writes it, and when it is complete. */
export function usePartialInput<T extends AppTypes>(app: AppOrNone<T>): PartialInput<T> {
  const [cell] = useState(() => createPartialInput<T>());
  return useCell(app, cell);
}

/** The display mode in force, those that the Host offers, and `request(mode)`. */
export function useDisplayMode<T extends AppTypes>(
  app: AppOrNone<T>,
): DisplayModeState & Pick<DisplayModeCell, "request"> {
  const [cell] = useState(() => createDisplayMode<T>());
  return { ...useCell(app, cell), request: cell.request };
}

/**
 * Tells the model something for its next turn, as a sentence or as data, as long as the component is
 * mounted. The parts of all components are sent together, a moment after the last change.
 */
export function useModelContext<T extends AppTypes>(
  app: AppOrNone<T>,
  part: ModelContextPart,
): void {
  const [owner] = useState(() => ({}));
  const text = JSON.stringify(part);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` stands for the part, which most callers write inline
  useEffect(() => setModelContext(app, owner, part), [app, owner, text]);
  useEffect(() => () => setModelContext(app, owner, undefined), [app, owner]);
}

/** Sends files to a tool of the server in parts: `pick()` or `upload(file)`, with progress. */
export function useUpload<T extends AppTypes, N extends ToolName<T>>(
  app: AppOrNone<T>,
  options: UploadOptions<N>,
): UploadState<ToolAnswer<T, N>> & UploadActions<ToolAnswer<T, N>> {
  const [cell] = useState(() => createUpload<T, N>(options));
  const { upload, pick, cancel, reset } = cell;
  return { ...useCell(app, cell), upload, pick, cancel, reset };
}

/** Connects a cell while the component is mounted, and renders again when it changes. */
function useCell<State, A>(app: A | null | undefined, cell: Cell<State, A>): State {
  useEffect(() => cell.connect(app), [cell, app]);
  return useSyncExternalStore(cell.subscribe, cell.get, cell.get);
}
