// The hooks of the Svelte entry that aren't in the official SDK, as stores.

import type { AppTypes } from "@vitrine/protocol/apps";
import { derived, type Readable, readable, type Writable } from "svelte/store";
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
import type { AppState } from "./mounted-app.ts";
import type { ToolAnswer, ToolName } from "./typed-app.ts";

type AppStore<T extends AppTypes> = Readable<AppState<T>>;

/**
 * A value that the View gets back after a reload or a remount. `name` identifies it within the View.
 * `value` is a store that can be bound; `isRestored` tells whether the old one is back.
 */
export function useViewState<Value>(
  view: Readable<{ app: AnyApp | null }>,
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

/** Calls a tool of the server: `call.run(args)`, and `$call`, the state of the latest call. */
export function useToolCall<T extends AppTypes, N extends ToolName<T>>(
  view: AppStore<T>,
  name: N,
): Readable<ToolCallState<ToolAnswer<T, N>>> & ToolCallActions<T, N> {
  const cell = createToolCall<T, N>(name);
  const { run, cancel, reset } = cell;
  return { ...storeOf(view, cell), run, cancel, reset };
}

/** The tool's input while the model writes it, and when it is complete. */
export function usePartialInput<T extends AppTypes>(view: AppStore<T>): Readable<PartialInput<T>> {
  return storeOf(view, createPartialInput<T>());
}

/** The display mode in force, those that the Host offers, and `request(mode)`. */
export function useDisplayMode<T extends AppTypes>(
  view: AppStore<T>,
): Readable<DisplayModeState> & Pick<DisplayModeCell, "request"> {
  const cell = createDisplayMode<T>();
  const state = storeOf(view, cell);
  return { ...state, request: cell.request };
}

/**
 * Tells the model something for its next turn, as a sentence or as data: a value, or a store of one.
 * The parts of all components are sent together, a moment after the last change. Returns a function
 * that stops it, for `onDestroy`.
 */
export function useModelContext<T extends AppTypes>(
  view: AppStore<T>,
  part: ModelContextPart | Readable<ModelContextPart>,
): () => void {
  const owner = {};
  const isStore = typeof part === "object" && part !== null && "subscribe" in part;
  const parts = isStore ? (part as Readable<ModelContextPart>) : readable(part);
  let undo = (): void => {};
  const unsubscribe = derived([view, parts], (both) => both).subscribe(([{ app }, current]) => {
    undo();
    setModelContext(app, owner, current);
    undo = () => setModelContext(app, owner, undefined);
  });
  return () => {
    unsubscribe();
    undo();
  };
}

/** Sends files to a tool of the server in parts: `pick()` or `upload(file)`, with progress. */
export function useUpload<T extends AppTypes, N extends ToolName<T>>(
  view: AppStore<T>,
  options: UploadOptions<N>,
): Readable<UploadState<ToolAnswer<T, N>>> & UploadActions<ToolAnswer<T, N>> {
  const cell = createUpload<T, N>(options);
  const { upload, pick, cancel, reset } = cell;
  return { ...storeOf(view, cell), upload, pick, cancel, reset };
}

/** The value of a cell as a store, which connects it while there are subscribers. */
function storeOf<State, A>(
  view: Readable<{ app: A | null }>,
  cell: Cell<State, A>,
): Readable<State> {
  return readable(cell.get(), (set) => {
    let disconnect: (() => void) | undefined;
    const stops = [
      cell.subscribe(() => set(cell.get())),
      view.subscribe(({ app }) => {
        disconnect?.();
        disconnect = cell.connect(app);
      }),
    ];
    set(cell.get());
    return () => {
      for (const stop of stops) stop();
      disconnect?.();
    };
  });
}
