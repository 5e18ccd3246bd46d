// The official React hooks, with their names and signatures, and a few more. Like the official entry
// it re-exports the main one, so that a component needs a single import.

import type { AppTypes, McpUiHostContext, McpUiTheme } from "@vitrine/protocol/apps";
import {
  type RefObject,
  useCallback,
  useEffect,
  useInsertionEffect,
  useState,
  useSyncExternalStore,
} from "react";
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
export {
  type AnyMessage,
  App,
  type AppEventMap,
  type AppOptions,
  type AppToolCallback,
  type AppToolConfig,
  type AppToolResult,
  type AppTypes,
  applyContainerDimensions,
  applyDocumentLocale,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  type CallToolRequest,
  type CallToolResult,
  type ContentBlock,
  DOWNLOAD_FILE_METHOD,
  directionOf,
  getDocumentTheme,
  grantedPermissions,
  HOST_CONTEXT_CHANGED_METHOD,
  type Implementation,
  INITIALIZE_METHOD,
  INITIALIZED_METHOD,
  type InferOutput,
  LATEST_PROTOCOL_VERSION,
  LocalError,
  type McpUiAppCapabilities,
  type McpUiClientCapabilities,
  type McpUiDisplayMode,
  type McpUiDownloadFileRequest,
  type McpUiDownloadFileResult,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiHostContextChangedNotification,
  type McpUiHostCss,
  type McpUiHostStyles,
  type McpUiInitializedNotification,
  type McpUiInitializeRequest,
  type McpUiInitializeResult,
  type McpUiMessageRequest,
  type McpUiMessageResult,
  type McpUiOpenLinkRequest,
  type McpUiOpenLinkResult,
  type McpUiRequestDisplayModeRequest,
  type McpUiRequestDisplayModeResult,
  type McpUiRequestTeardownNotification,
  type McpUiResourceCsp,
  type McpUiResourceMeta,
  type McpUiResourcePermissions,
  type McpUiResourceTeardownRequest,
  type McpUiResourceTeardownResult,
  type McpUiSandboxProxyReadyNotification,
  type McpUiSandboxResourceReadyNotification,
  type McpUiSizeChangedNotification,
  type McpUiStyles,
  type McpUiStyleVariableKey,
  type McpUiSupportedContentBlockModalities,
  type McpUiTheme,
  type McpUiToolCancelledNotification,
  type McpUiToolInputNotification,
  type McpUiToolInputPartialNotification,
  type McpUiToolMeta,
  type McpUiToolResultNotification,
  type McpUiToolVisibility,
  type McpUiUpdateModelContextRequest,
  MESSAGE_METHOD,
  OPEN_LINK_METHOD,
  PostMessageTransport,
  REQUEST_DISPLAY_MODE_METHOD,
  REQUEST_TEARDOWN_METHOD,
  RESOURCE_MIME_TYPE,
  RESOURCE_TEARDOWN_METHOD,
  RESOURCE_URI_META_KEY,
  type RegisteredAppTool,
  type RequestHandlerExtra,
  type RequestOptions,
  RpcError,
  SANDBOX_PROXY_READY_METHOD,
  SANDBOX_RESOURCE_READY_METHOD,
  SIZE_CHANGED_METHOD,
  type StandardSchemaV1,
  TOOL_CANCELLED_METHOD,
  TOOL_INPUT_METHOD,
  TOOL_INPUT_PARTIAL_METHOD,
  TOOL_RESULT_METHOD,
  type ToolResultOf,
  type ViewErrorCode,
  type ViewState,
} from "./index.ts";
export type { AppState, UseAppOptions } from "./mounted-app.ts";
export {
  useDisplayMode,
  useModelContext,
  usePartialInput,
  useToolCall,
  useUpload,
  useViewState,
} from "./react-hooks.ts";

/** Creates an `App`, connects it to the Host, and closes it when the component unmounts. */
export function useApp<T extends AppTypes = AppTypes>(options: UseAppOptions<T>): AppState<T> {
  const [state, setState] = useState<AppState<T>>(UNCONNECTED);
  // biome-ignore lint/correctness/useExhaustiveDependencies: most callers write the options inline, and a View must not reconnect at every render
  useEffect(() => {
    const unmount = mountApp(options, setState);
    return () => {
      unmount();
      // A hidden `<Activity>` keeps its state; the closed App must not be in it.
      setState(UNCONNECTED);
    };
  }, []);
  return state;
}

/** Reports size changes, for an `App` made with `autoResize: false`; the element is not used. */
export function useAutoResize<T extends AppTypes>(
  app: App<T> | null,
  _elementRef?: RefObject<HTMLElement | null> | undefined,
): void {
  useEffect(() => app?.setupSizeChangedNotifications(), [app]);
}

/** The document's theme; renders again when it changes. */
export function useDocumentTheme(): McpUiTheme {
  return useSyncExternalStore(followDocumentTheme, getDocumentTheme, () => "light");
}

/** The Host's context; renders again when any of it changes. */
export function useHostContext<T extends AppTypes>(
  app: App<T> | null,
): McpUiHostContext | undefined {
  const subscribe = useCallback((onChange: () => void) => followHostContext(app, onChange), [app]);
  const read = (): McpUiHostContext | undefined => app?.getHostContext();
  return useSyncExternalStore(subscribe, read, read);
}

/** The newest tool input. A View that also sets `ontoolinput` may receive it there and not here. */
export function useToolInput<T extends AppTypes>(
  app: App<T> | null,
): AppEventMap<T>["toolinput"] | undefined {
  return useTool(app, "toolinput");
}

/** The newest tool result. A View that also sets `ontoolresult` may receive it there and not here. */
export function useToolResult<T extends AppTypes>(
  app: App<T> | null,
): AppEventMap<T>["toolresult"] | undefined {
  return useTool(app, "toolresult");
}

/** Puts the Host's theme and style variables on the document, now and after each change. */
export function useHostStyleVariables<T extends AppTypes>(
  app: App<T> | null,
  initialContext?: McpUiHostContext | null,
): void {
  useContextParts(app, initialContext, applyTheme);
}

/** Puts the Host's fonts into the document, now and after each change. */
export function useHostFonts<T extends AppTypes>(
  app: App<T> | null,
  initialContext?: McpUiHostContext | null,
): void {
  useContextParts(app, initialContext, applyFonts);
}

/** Theme, style variables, fonts and language in one. */
export function useHostStyles<T extends AppTypes>(
  app: App<T> | null,
  initialContext?: McpUiHostContext | null,
): void {
  useContextParts(app, initialContext, applyTheme);
  useContextParts(app, initialContext, applyFonts);
  useContextParts(app, initialContext, applyLocale);
}

function useTool<K extends "toolinput" | "toolresult", T extends AppTypes>(
  app: App<T> | null,
  event: K,
): AppEventMap<T>[K] | undefined {
  const [params, setParams] = useState<AppEventMap<T>[K]>();
  useEffect(() => followTool(app, event, setParams), [app, event]);
  return params;
}

function useContextParts<T extends AppTypes>(
  app: App<T> | null,
  initialContext: McpUiHostContext | null | undefined,
  part: ApplyContext,
): void {
  // Before layout, so that nothing is measured or painted in the wrong style.
  useInsertionEffect(
    () => followHostStyles(app, initialContext, part),
    [app, initialContext, part],
  );
}
