// A part of a View's state under a name, so that components can each keep their own.

import { STATE_EXTENSION } from "@vitrine/protocol/apps";
import { type AnyApp, type Cell, createStore } from "./cell.ts";
import { type ModelContextPart, setModelContext } from "./model-context.ts";

/** Options of `useViewState`. */
export interface ViewStateOptions<Value> {
  /**
   * The part that the model may see, as a sentence or as data; sent after each change. Without it the
   * value is private to the View.
   */
  model?: ((value: Value) => ModelContextPart) | undefined;
}

/** The value of `useViewState`. */
export interface KeptValue<Value> {
  value: Value;
  /** Whether the value of an earlier mount is back, or it is known that there is none. */
  isRestored: boolean;
}

/** A value that survives a remount, with its setter. */
export interface KeptValueCell<Value> extends Cell<KeptValue<Value>> {
  /** Replaces the value; a function gets the current one. */
  set(next: Value | ((value: Value) => Value)): void;
}

/** All values of one `App` by name, and their cells. */
interface KeptValues {
  values: Record<string, unknown>;
  isRestored: boolean;
  cells: Set<() => void>;
}

/** State in ChatGPT: what is in `privateContent` isn't shown to the model. */
interface OpenAi {
  widgetState?: { privateContent?: unknown } | null;
  setWidgetState?(state: object): void;
}

const kept = new WeakMap<object, KeptValues>();
const openAi = (): OpenAi | undefined => (globalThis as { openai?: OpenAi }).openai;

/** Creates the cell of a name. A value that is set before the old one is back, wins. */
export function createKeptValue<Value>(
  name: string,
  initial: Value,
  { model }: ViewStateOptions<Value> = {},
): KeptValueCell<Value> {
  const store = createStore<KeptValue<Value>>({ value: initial, isRestored: false });
  let app: AnyApp | null | undefined;
  let isAhead = false;
  const tellModel = (): void => {
    if (model) setModelContext(app, store, model(store.get().value));
  };
  const write = (): void => {
    const all = app && keptBy(app);
    // Until then, the names that others kept are unknown and would be lost.
    if (!app || !all?.isRestored) return;
    isAhead = false;
    all.values = { ...all.values, [name]: store.get().value };
    app.state.set(all.values);
    const chat = openAi();
    if (!keepsState(app))
      chat?.setWidgetState?.({ ...chat.widgetState, privateContent: all.values });
    for (const read of all.cells) read();
  };
  const read = (): void => {
    const all = app && keptBy(app);
    if (!all?.isRestored) return;
    if (isAhead) write();
    const value = (Object.hasOwn(all.values, name) ? all.values[name] : store.get().value) as Value;
    store.change({ value, isRestored: true });
    tellModel();
  };
  return {
    get: store.get,
    subscribe: store.subscribe,
    set: (next) => {
      const { value } = store.get();
      store.change({
        value: typeof next === "function" ? (next as (v: Value) => Value)(value) : next,
      });
      isAhead = true;
      write();
      tellModel();
    },
    connect: (next) => {
      app = next;
      if (!app) return () => {};
      const { cells } = keptBy(app);
      cells.add(read);
      tellModel();
      read();
      return () => {
        cells.delete(read);
        setModelContext(app, store, undefined);
        app = undefined;
      };
    },
  };
}

/** The values of an `App`; restored once. */
function keptBy(app: AnyApp): KeptValues {
  const known = kept.get(app);
  if (known) return known;
  const all: KeptValues = { values: {}, isRestored: false, cells: new Set() };
  kept.set(app, all);
  const restore = (state: unknown): void => {
    if (all.isRestored) return;
    all.isRestored = true;
    if (typeof state === "object" && state !== null) all.values = { ...state };
    for (const read of all.cells) read();
  };
  const { widgetState } = openAi() ?? {};
  if (keepsState(app)) restore(app.state.get());
  else if (widgetState) restore(widgetState.privateContent);
  else void app.state.ready.then(() => restore(app.state.get()));
  return all;
}

function keepsState(app: AnyApp): boolean {
  return app.getHostCapabilities()?.experimental?.[STATE_EXTENSION] !== undefined;
}
