// What the React, Vue and Svelte skins share: an `App` that lives as long as a component does, and
// the changes a component follows. Each function that follows something returns the undo.

import type { Channel } from "@vitrine/protocol";
import type {
  AppTypes,
  Implementation,
  McpUiAppCapabilities,
  McpUiHostContext,
  McpUiTheme,
} from "@vitrine/protocol/apps";
import { App, type AppOptions } from "./app.ts";
import type { AppEventMap } from "./app-events.ts";
import {
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  getDocumentTheme,
} from "./styles.ts";

/** How `useApp` makes its `App`; read once, when the component mounts. */
export interface UseAppOptions<T extends AppTypes = AppTypes>
  extends Pick<AppOptions, "autoResize" | "strict"> {
  appInfo: Implementation;
  capabilities: McpUiAppCapabilities;
  /** Runs before the connection: the place to set handlers and register tools. */
  onAppCreated?: ((app: App<T>) => void) | undefined;
  /** Makes the connection of each mount, for previews and tests; default: to the parent window. */
  createTransport?: (() => Channel) | undefined;
}

/** What `useApp` knows. */
export interface AppState<T extends AppTypes = AppTypes> {
  /** The connected `App`; null before and without a connection. */
  app: App<T> | null;
  isConnected: boolean;
  /** Why there is no connection, if it failed. */
  error: Error | null;
}

/** Before the handshake, and after the component has gone. */
export const UNCONNECTED: AppState & { app: null } = { app: null, isConnected: false, error: null };

/** Makes and connects an `App`, tells how that went, and closes it at the undo. */
export function mountApp<T extends AppTypes>(
  options: UseAppOptions<T>,
  onState: (state: AppState<T>) => void,
): () => void {
  let app: App<T> | undefined;
  let mounted = true;
  const connect = async (): Promise<void> => {
    // React's StrictMode mounts, unmounts and mounts again in one go. A microtask later only the
    // mount that stays is left, so the Host meets one View and not two.
    await null;
    if (!mounted) return;
    try {
      app = new App(options.appInfo, options.capabilities, options);
      options.onAppCreated?.(app);
      await app.connect(options.createTransport?.());
      if (mounted) onState({ app, isConnected: true, error: null });
    } catch (error) {
      // An undo while connecting rejects too, and nobody is left to be told.
      if (mounted) onState({ ...UNCONNECTED, error: error as Error });
    }
  };
  void connect();
  return () => {
    mounted = false;
    void app?.close();
  };
}

/** Follows the whole host context: what is known now, then after each change. */
export function followHostContext<T extends AppTypes>(
  app: App<T> | null | undefined,
  listener: (context: McpUiHostContext | undefined) => void,
): () => void {
  // Never the notification's params: they are a part, and may be spelt the old way.
  const tell = (): void => listener(app?.getHostContext());
  app?.addEventListener("hostcontextchanged", tell);
  tell();
  return () => app?.removeEventListener("hostcontextchanged", tell);
}

/** Applies a part of a host context, given the one applied before. */
export type ApplyContext = (context: McpUiHostContext, previous: McpUiHostContext) => void;

/** The theme and the style variables. */
export const applyTheme: ApplyContext = ({ theme, styles }, previous) => {
  if (theme && theme !== previous.theme) applyDocumentTheme(theme);
  if (styles?.variables && styles !== previous.styles) applyHostStyleVariables(styles.variables);
};

/** The fonts; setting equal ones again would make the browser load them again. */
export const applyFonts: ApplyContext = ({ styles }, previous) => {
  const fonts = styles?.css?.fonts;
  if (fonts !== undefined && fonts !== previous.styles?.css?.fonts) applyHostFonts(fonts);
};

/** Keeps the document in the Host's style; what the Host says wins over `initialContext`. */
export function followHostStyles<T extends AppTypes>(
  app: App<T> | null | undefined,
  initialContext: McpUiHostContext | null | undefined,
  ...parts: ApplyContext[]
): () => void {
  let previous: McpUiHostContext = {};
  return followHostContext(app, (current) => {
    const context = { ...initialContext, ...current };
    for (const apply of parts) apply(context, previous);
    previous = context;
  });
}

// What each `App` was heard to say, by those events that somebody followed.
type Heard = { toolinput?: unknown; toolresult?: unknown };
const heard = new WeakMap<object, Heard>();

/**
 * Follows the newest tool input or result. The first to follow keeps it for those who come later,
 * because the `App` hands what was kept to its first listeners only.
 */
export function followTool<K extends "toolinput" | "toolresult", T extends AppTypes>(
  app: App<T> | null | undefined,
  event: K,
  listener: (params: AppEventMap<T>[K] | undefined) => void,
): () => void {
  const known: Heard = (app && heard.get(app)) ?? {};
  if (app && !(event in known)) {
    heard.set(app, known);
    known[event] = undefined;
    app.addEventListener(event, (params) => {
      known[event] = params;
    });
  }
  app?.addEventListener(event, listener);
  listener(known[event] as AppEventMap<T>[K] | undefined);
  return () => app?.removeEventListener(event, listener);
}

/** Follows the theme the document wears, whoever sets it. */
export function followDocumentTheme(listener: (theme: McpUiTheme) => void): () => void {
  const observer = new MutationObserver(() => listener(getDocumentTheme()));
  observer.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
  return () => observer.disconnect();
}
