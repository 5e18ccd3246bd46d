// The same hooks for Svelte, as stores: plain JavaScript that works with Svelte 4 and 5. A store is active
// while it has subscribers, which in a component is what `$view` creates.

import type { AppTypes, McpUiHostContext, McpUiTheme } from "@vitrine/protocol/apps";
import { derived, type Readable, readable } from "svelte/store";
import type { AppEventMap } from "./app-events.ts";
import {
  type ApplyContext,
  type AppState,
  applyFonts,
  applyLocale,
  applyTheme,
  followDocumentTheme,
  followHostContext,
  followHostStyles,
  followTool,
  mountApp,
  UNCONNECTED,
  type UseAppOptions,
} from "./mounted-app.ts";
import { getDocumentTheme } from "./styles.ts";

export type * from "./hooks/index.ts";
export type { AppState, UseAppOptions } from "./mounted-app.ts";
export {
  useDisplayMode,
  useModelContext,
  usePartialInput,
  useToolCall,
  useUpload,
  useViewState,
} from "./svelte-hooks.ts";

/** The store that `useApp` returns. */
export type AppStore<T extends AppTypes = AppTypes> = Readable<AppState<T>>;

/** Creates and connects an `App` for the first subscriber, and closes it after the last. */
export function useApp<T extends AppTypes = AppTypes>(options: UseAppOptions<T>): AppStore<T> {
  return readable<AppState<T>>(UNCONNECTED, (set) => {
    const unmount = mountApp(options, set);
    return () => {
      unmount();
      set(UNCONNECTED);
    };
  });
}

/** The document's theme. */
export function useDocumentTheme(): Readable<McpUiTheme> {
  return readable<McpUiTheme>("light", (set) => {
    set(getDocumentTheme());
    return followDocumentTheme(set);
  });
}

/** The Host's context. */
export function useHostContext<T extends AppTypes>(
  view: AppStore<T>,
): Readable<McpUiHostContext | undefined> {
  return derived(
    view,
    ({ app }, set: (context: McpUiHostContext | undefined) => void) => followHostContext(app, set),
    undefined,
  );
}

/** The newest tool input. A View that also sets `ontoolinput` may receive it there and not here. */
export function useToolInput<T extends AppTypes>(
  view: AppStore<T>,
): Readable<AppEventMap<T>["toolinput"] | undefined> {
  return useTool(view, "toolinput");
}

/** The newest tool result. A View that also sets `ontoolresult` may receive it there and not here. */
export function useToolResult<T extends AppTypes>(
  view: AppStore<T>,
): Readable<AppEventMap<T>["toolresult"] | undefined> {
  return useTool(view, "toolresult");
}

/** Reports size changes, for an `App` made with `autoResize: false`. Returns a function that stops it. */
export function useAutoResize<T extends AppTypes>(view: AppStore<T>): () => void {
  return follow(view, ({ app }) => app?.setupSizeChangedNotifications());
}

/** Puts the Host's theme and style variables on the document. Returns a function that stops it, for `onDestroy`. */
export function useHostStyleVariables<T extends AppTypes>(
  view: AppStore<T>,
  initialContext?: McpUiHostContext | null,
): () => void {
  return followParts(view, initialContext, applyTheme);
}

/** Puts the Host's fonts into the document. Returns a function that stops it, for `onDestroy`. */
export function useHostFonts<T extends AppTypes>(
  view: AppStore<T>,
  initialContext?: McpUiHostContext | null,
): () => void {
  return followParts(view, initialContext, applyFonts);
}

/** Theme, style variables, fonts and language in one. Returns a function that stops it, for `onDestroy`. */
export function useHostStyles<T extends AppTypes>(
  view: AppStore<T>,
  initialContext?: McpUiHostContext | null,
): () => void {
  return followParts(view, initialContext, applyTheme, applyFonts, applyLocale);
}

function useTool<K extends "toolinput" | "toolresult", T extends AppTypes>(
  view: AppStore<T>,
  event: K,
): Readable<AppEventMap<T>[K] | undefined> {
  return derived(
    view,
    ({ app }, set: (params: AppEventMap<T>[K] | undefined) => void) => followTool(app, event, set),
    undefined,
  );
}

function followParts<T extends AppTypes>(
  view: AppStore<T>,
  initialContext: McpUiHostContext | null | undefined,
  ...parts: ApplyContext[]
): () => void {
  return follow(view, ({ app }) => followHostStyles(app, initialContext, ...parts));
}

function follow<T extends AppTypes>(
  view: AppStore<T>,
  start: (state: AppState<T>) => (() => void) | undefined,
): () => void {
  let undo: (() => void) | undefined;
  const unsubscribe = view.subscribe((state) => {
    undo?.();
    undo = start(state);
  });
  return () => {
    unsubscribe();
    undo?.();
  };
}
