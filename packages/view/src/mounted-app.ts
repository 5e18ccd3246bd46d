// Shared by the React, Vue and Svelte entries: an `App` with the lifetime of a component, and the changes
// that a component subscribes to. Each `follow` function returns an unsubscribe function.

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
  applyDocumentLocale,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  getDocumentTheme,
} from "./styles.ts";

/** Options of `useApp`; read once, when the component mounts. */
export interface UseAppOptions<T extends AppTypes = AppTypes>
  extends Pick<AppOptions, "autoResize" | "strict"> {
  appInfo: Implementation;
  capabilities: McpUiAppCapabilities;
  /** Runs before the connection; set handlers and register tools here. */
  onAppCreated?: ((app: App<T>) => void) | undefined;
  /** Creates the connection of each mount, for previews and tests; default: to the parent window. */
  createTransport?: (() => Channel) | undefined;
}

/** The state of `useApp`. */
export interface AppState<T extends AppTypes = AppTypes> {
  /** The connected `App`; null before and without a connection. */
  app: App<T> | null;
  isConnected: boolean;
  /** Why there is no connection, if it failed. */
  error: Error | null;
}

/** Before the handshake, and after the component was unmounted. */
export const UNCONNECTED: AppState & { app: null } = { app: null, isConnected: false, error: null };

/** Creates and connects an `App`, reports its state, and closes it when unsubscribed. */
export function mountApp<T extends AppTypes>(
  options: UseAppOptions<T>,
  onState: (state: AppState<T>) => void,
): () => void {
  let app: App<T> | undefined;
  let mounted = true;
  const connect = async (): Promise<void> => {
    // React's StrictMode mounts, unmounts and mounts again synchronously. A microtask later only the
    // final mount is left, so the Host sees one View and not two.
    await null;
    if (!mounted) return;
    try {
      app = new App(options.appInfo, options.capabilities, options);
      options.onAppCreated?.(app);
      await app.connect(options.createTransport?.());
      if (mounted) onState({ app, isConnected: true, error: null });
    } catch (error) {
      // Unsubscribing while connecting rejects too, and has no subscriber any more.
      if (mounted) onState({ ...UNCONNECTED, error: error as Error });
    }
  };
  void connect();
  return () => {
    mounted = false;
    void app?.close();
  };
}

/** Subscribes to the host context: the current one, then each change. */
export function followHostContext<T extends AppTypes>(
  app: App<T> | null | undefined,
  listener: (context: McpUiHostContext | undefined) => void,
): () => void {
  // Never the notification's params: they are partial, and may use old names.
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

/** The language and its direction. */
export const applyLocale: ApplyContext = ({ locale }, previous) => {
  if (locale && locale !== previous.locale) applyDocumentLocale(locale);
};

/** The fonts; setting equal ones again would make the browser load them again. */
export const applyFonts: ApplyContext = ({ styles }, previous) => {
  const fonts = styles?.css?.fonts;
  if (fonts !== undefined && fonts !== previous.styles?.css?.fonts) applyHostFonts(fonts);
};

/** Applies the Host's styles to the document; the Host's context overrides `initialContext`. */
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

// The newest events of each `App`, for events with a subscriber.
type Latest = { toolinput?: unknown; toolresult?: unknown };
const latest = new WeakMap<object, Latest>();

/**
 * Subscribes to the newest tool input or result. The first subscriber keeps it for later ones, because
 * the `App` delivers kept events to its first listeners only.
 */
export function followTool<K extends "toolinput" | "toolresult", T extends AppTypes>(
  app: App<T> | null | undefined,
  event: K,
  listener: (params: AppEventMap<T>[K] | undefined) => void,
): () => void {
  const known: Latest = (app && latest.get(app)) ?? {};
  if (app && !(event in known)) {
    latest.set(app, known);
    known[event] = undefined;
    app.addEventListener(event, (params) => {
      known[event] = params;
    });
  }
  app?.addEventListener(event, listener);
  listener(known[event] as AppEventMap<T>[K] | undefined);
  return () => app?.removeEventListener(event, listener);
}

/** Subscribes to the document's theme, whatever code sets it. */
export function followDocumentTheme(listener: (theme: McpUiTheme) => void): () => void {
  const observer = new MutationObserver(() => listener(getDocumentTheme()));
  observer.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
  return () => observer.disconnect();
}
