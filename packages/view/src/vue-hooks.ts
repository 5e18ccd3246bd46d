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

type AppSource<T extends AppTypes> = MaybeRefOrGetter<App<T> | null | undefined>;

/** A ref for each field. */
type Refs<State> = { readonly [K in keyof State]-?: Readonly<Ref<State[K]>> };

/**
 * A value that the View gets back after a reload or a remount. `name` identifies it within the View.
 * Assign to `value`; `isRestored` tells whether the old one is back.
 */
export function useViewState<Value>(
  app: MaybeRefOrGetter<AnyApp | null | undefined>,
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

/** Calls a tool of the server: `run(args)`, and the state of the latest call. */
export function useToolCall<T extends AppTypes, N extends ToolName<T>>(
  app: AppSource<T>,
  name: N,
): Refs<ToolCallState<ToolAnswer<T, N>>> & ToolCallActions<T, N> {
  const cell = createToolCall<T, N>(name);
  const { run, cancel, reset } = cell;
  return { ...refsOf(useCell(app, cell)), run, cancel, reset };
}

/** The tool's input while the model writes it, and when it is complete. */
export function usePartialInput<T extends AppTypes>(app: AppSource<T>): Refs<PartialInput<T>> {
  return refsOf(useCell(app, createPartialInput<T>()));
}

/** The display mode in force, those that the Host offers, and `request(mode)`. */
export function useDisplayMode<T extends AppTypes>(
  app: AppSource<T>,
): Refs<DisplayModeState> & Pick<DisplayModeCell, "request"> {
  const cell = createDisplayMode<T>();
  const state = useCell(app, cell);
  return { ...refsOf(state), request: cell.request };
}

/**
 * Tells the model something for its next turn, as a sentence or as data, until the scope ends. The
 * parts of all components are sent together, a moment after the last change.
 */
export function useModelContext<T extends AppTypes>(
  app: AppSource<T>,
  part: MaybeRefOrGetter<ModelContextPart>,
): void {
  const owner = {};
  watchEffect((onCleanup) => {
    const current = toValue(app);
    setModelContext(current, owner, toValue(part));
    onCleanup(() => setModelContext(current, owner, undefined));
  });
}

/** Sends files to a tool of the server in parts: `pick()` or `upload(file)`, with progress. */
export function useUpload<T extends AppTypes, N extends ToolName<T>>(
  app: AppSource<T>,
  options: UploadOptions<N>,
): Refs<UploadState<ToolAnswer<T, N>>> & UploadActions<ToolAnswer<T, N>> {
  const cell = createUpload<T, N>(options);
  const { upload, pick, cancel, reset } = cell;
  return { ...refsOf(useCell(app, cell)), upload, pick, cancel, reset };
}

/** Connects a cell until the scope ends; the ref has its value. */
function useCell<State, A>(
  app: MaybeRefOrGetter<A | null | undefined>,
  cell: Cell<State, A>,
): Readonly<ShallowRef<State>> {
  const state = shallowRef(cell.get()) as ShallowRef<State>;
  onScopeDispose(
    cell.subscribe(() => {
      state.value = cell.get();
    }),
  );
  watchEffect((onCleanup) => onCleanup(cell.connect(toValue(app))));
  return state;
}

function refsOf<State extends object>(state: Readonly<ShallowRef<State>>): Refs<State> {
  const keys = Object.keys(state.value) as (keyof State)[];
  const refs = keys.map((key) => [key, computed(() => state.value[key])]);
  return Object.fromEntries(refs) as Refs<State>;
}
