// The same hooks for Vue: each lives as long as the effect scope, usually a component, that calls it.

import type { AppTypes, McpUiHostContext, McpUiTheme } from "@vitrine/protocol/apps";
import {
  computed,
  type MaybeRefOrGetter,
  onScopeDispose,
  type Ref,
  type ShallowRef,
  shallowRef,
  toValue,
  watchEffect,
} from "vue";
import type { App } from "./app.ts";
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
export type { UseAppOptions } from "./mounted-app.ts";
export {
  useDisplayMode,
  useModelContext,
  usePartialInput,
  useToolCall,
  useUpload,
  useViewState,
} from "./vue-hooks.ts";

/** The state of `useApp`, with a ref for each part. */
export type AppRefs<T extends AppTypes = AppTypes> = {
  readonly [K in keyof AppState]: Readonly<Ref<AppState<T>[K]>>;
};

/** An `App`, or a ref or getter of one, such as the `app` of `useApp`. */
export type AppSource<T extends AppTypes = AppTypes> = MaybeRefOrGetter<App<T> | null | undefined>;

type ContextSource = MaybeRefOrGetter<McpUiHostContext | null | undefined>;

/** Creates an `App`, connects it to the Host, and closes it with the scope. */
export function useApp<T extends AppTypes = AppTypes>(options: UseAppOptions<T>): AppRefs<T> {
  // Shallow: a proxy around the App could not reach its private fields.
  const state = shallowRef<AppState<T>>(UNCONNECTED);
  const unmount = mountApp(options, (next) => {
    state.value = next;
  });
  onScopeDispose(() => {
    unmount();
    state.value = UNCONNECTED;
  });
  return {
    app: computed(() => state.value.app),
    isConnected: computed(() => state.value.isConnected),
    error: computed(() => state.value.error),
  };
}

/** Reports size changes, for an `App` made with `autoResize: false`. */
export function useAutoResize<T extends AppTypes>(app: AppSource<T>): void {
  follow(() => toValue(app)?.setupSizeChangedNotifications());
}

/** The document's theme. */
export function useDocumentTheme(): Readonly<ShallowRef<McpUiTheme>> {
  const theme = shallowRef(getDocumentTheme());
  follow(() =>
    followDocumentTheme((next) => {
      theme.value = next;
    }),
  );
  return theme;
}

/** The Host's context. */
export function useHostContext<T extends AppTypes>(
  app: AppSource<T>,
): Readonly<ShallowRef<McpUiHostContext | undefined>> {
  const context = shallowRef<McpUiHostContext>();
  follow(() =>
    followHostContext(toValue(app), (next) => {
      context.value = next;
    }),
  );
  return context;
}

/** The newest tool input. A View that also sets `ontoolinput` may receive it there and not here. */
export function useToolInput<T extends AppTypes>(
  app: AppSource<T>,
): Readonly<ShallowRef<AppEventMap<T>["toolinput"] | undefined>> {
  return useTool(app, "toolinput");
}

/** The newest tool result. A View that also sets `ontoolresult` may receive it there and not here. */
export function useToolResult<T extends AppTypes>(
  app: AppSource<T>,
): Readonly<ShallowRef<AppEventMap<T>["toolresult"] | undefined>> {
  return useTool(app, "toolresult");
}

/** Puts the Host's theme and style variables on the document, now and after each change. */
export function useHostStyleVariables<T extends AppTypes>(
  app: AppSource<T>,
  initialContext?: ContextSource,
): void {
  useContextParts(app, initialContext, applyTheme);
}

/** Puts the Host's fonts into the document, now and after each change. */
export function useHostFonts<T extends AppTypes>(
  app: AppSource<T>,
  initialContext?: ContextSource,
): void {
  useContextParts(app, initialContext, applyFonts);
}

/** Theme, style variables, fonts and language in one. */
export function useHostStyles<T extends AppTypes>(
  app: AppSource<T>,
  initialContext?: ContextSource,
): void {
  useContextParts(app, initialContext, applyTheme, applyFonts, applyLocale);
}

function useTool<K extends "toolinput" | "toolresult", T extends AppTypes>(
  app: AppSource<T>,
  event: K,
): Readonly<ShallowRef<AppEventMap<T>[K] | undefined>> {
  const params = shallowRef<AppEventMap<T>[K]>();
  follow(() =>
    followTool(toValue(app), event, (next) => {
      params.value = next;
    }),
  );
  return params;
}

function useContextParts<T extends AppTypes>(
  app: AppSource<T>,
  initialContext: ContextSource,
  ...parts: ApplyContext[]
): void {
  follow(() => followHostStyles(toValue(app), toValue(initialContext), ...parts));
}

/** Runs a function that subscribes and returns its unsubscribe function; again whenever the source changes. */
function follow(start: () => (() => void) | undefined): void {
  watchEffect((onCleanup) => {
    const undo = start();
    if (undo) onCleanup(undo);
  });
}
