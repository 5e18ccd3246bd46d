"use client";

import {
  type CSSProperties,
  createContext,
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
  useCallback,
  useContext,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { followPermissions, type Permission } from "./consent/permission.ts";
import type { Conversation } from "./conversation/conversation.ts";
import type { Diagnostic, Stage } from "./diagnostic.ts";
import { MCP_APP_PROPERTIES, type McpAppElement, type McpAppProperties } from "./element.ts";
import type { Host } from "./host.ts";
import { NO_HOST } from "./missing-host.ts";
import type { ModelContext, ModelContextEntry } from "./model/model-context.ts";
import { followView, NO_VIEW, type ViewState } from "./view-state.ts";

export type { McpAppElement } from "./element.ts";
export type { ViewState } from "./view-state.ts";

/** Properties of `<VitrineProvider>`. */
export interface VitrineProviderProps {
  /** Create it once, outside of components; on a server too. */
  host: Host;
  /** The id of the conversation that the components below belong to. */
  conversation?: string | undefined;
  children?: ReactNode;
}

interface Provided {
  host: Host;
  conversation: Conversation | undefined;
}

const VitrineContext = createContext<Provided | undefined>(undefined);

/** Gives a host, and a conversation if you name one, to all components below. */
export function VitrineProvider(props: VitrineProviderProps): ReactElement {
  const { host, conversation, children } = props;
  const value = useMemo(
    () => ({ host, conversation: conversation ? host.conversation(conversation) : undefined }),
    [host, conversation],
  );
  return createElement(VitrineContext.Provider, { value }, children);
}

/** The host of the nearest `<VitrineProvider>`. */
export function useHost(): Host {
  const provided = useContext(VitrineContext);
  if (!provided) throw new Error(NO_HOST);
  return provided.host;
}

/** The conversation with this id, or else the one of the nearest `<VitrineProvider>`. */
export function useConversation(id?: string): Conversation | undefined {
  const host = useHost();
  const provided = useContext(VitrineContext)?.conversation;
  return id === undefined ? provided : host.conversation(id);
}

const NOTHING: readonly ModelContextEntry[] = [];

/** What the views of a conversation tell the model, rendered again whenever it changes. */
export function useModelContext(conversation?: Conversation): readonly ModelContextEntry[] {
  const host = useHost();
  const provided = useContext(VitrineContext)?.conversation;
  const { modelContext } = conversation ?? provided ?? host;
  const read = useRef<{ of: ModelContext; entries: readonly ModelContextEntry[] }>(undefined);
  const snapshot = (): readonly ModelContextEntry[] => {
    if (read.current?.of !== modelContext) {
      read.current = { of: modelContext, entries: modelContext.snapshot() };
    }
    return read.current.entries;
  };
  const subscribe = useCallback(
    (notify: () => void) => {
      const update = (): void => {
        read.current = { of: modelContext, entries: modelContext.snapshot() };
        notify();
      };
      // It may have changed between rendering and this effect.
      update();
      return modelContext.onChange(update);
    },
    [modelContext],
  );
  // A server has no views, and the first render in the browser must equal the server's.
  return useSyncExternalStore(subscribe, snapshot, () => NOTHING);
}

const NONE: readonly Permission[] = [];

/** The remembered answers of the user; `useHost().permissions.revoke(entry)` forgets one. */
export function usePermissions(): readonly Permission[] {
  const { permissions } = useHost();
  const [list, setList] = useState(NONE);
  useEffect(() => followPermissions(permissions, setList), [permissions]);
  return list;
}

/**
 * The state of the view with this key, in the conversation of the nearest `<VitrineProvider>`, to draw
 * its bar and cards yourself.
 */
export function useView(key: string): ViewState {
  const host = useHost();
  const conversation = useContext(VitrineContext)?.conversation;
  const [state, setState] = useState(NO_VIEW);
  useEffect(() => followView({ host, conversation, key }, setState), [host, conversation, key]);
  return state;
}

/** Properties of `<McpApp>`. */
export interface McpAppProps extends McpAppProperties {
  className?: string | undefined;
  style?: CSSProperties | undefined;
  /** Shown until the view is, and instead of the host's card if it can't be: the result, for example. */
  fallback?: ReactNode;
  /** Called with every failure, and with hints for authors. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called when the view can't be shown, or was stopped. */
  onError?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Called as the view comes up; it is visible at `"shown"`. */
  onStage?: ((stage: Stage) => void) | undefined;
}

/**
 * Shows a view, by default in the conversation of the nearest `<VitrineProvider>`. Its frame survives
 * when the component gets another key, is rendered elsewhere, or is mounted twice by StrictMode, as
 * long as `app.key` stays the same. The ref is the element; its `view` is the `HostedView`.
 */
export const McpApp: ForwardRefExoticComponent<McpAppProps & RefAttributes<McpAppElement>> =
  forwardRef(function McpApp(props, ref) {
    const { className, style, fallback } = props;
    const provided = useContext(VitrineContext);
    const own = useRef<McpAppElement>(null);
    const listeners = useRef<McpAppProps>(props);
    const properties: McpAppProperties = {
      ...props,
      host: props.host ?? provided?.conversation ?? provided?.host,
    };
    useImperativeHandle(ref, () => own.current as McpAppElement, []);

    useOnClient(() => {
      listeners.current = props;
      const element = own.current;
      for (const name of MCP_APP_PROPERTIES) {
        // Only the changes: a setter updates the element.
        if (element && element[name] !== properties[name]) {
          Object.assign(element, { [name]: properties[name] });
        }
      }
    });
    useOnClient(() => {
      const element = own.current;
      const diagnose = (event: Event): void => {
        const { detail } = event as CustomEvent<Diagnostic>;
        listeners.current.onDiagnostic?.(detail);
        if (detail.level === "error") listeners.current.onError?.(detail);
      };
      const follow = (event: Event): void =>
        listeners.current.onStage?.((event as CustomEvent<Stage>).detail);
      element?.addEventListener("diagnostic", diagnose);
      element?.addEventListener("stage", follow);
      element?.attach();
      return () => {
        element?.removeEventListener("diagnostic", diagnose);
        element?.removeEventListener("stage", follow);
        // React runs this before it removes the node; a frame that is removed is gone.
        element?.detach();
      };
    }, []);

    // `class`, because React 18 doesn't support `className` on a custom element.
    return createElement(
      "mcp-app",
      { ref: own, class: className, style },
      fallback === undefined ? null : createElement("div", { slot: "fallback" }, fallback),
    );
  });

// On a server, React 18 warns about layout effects, and neither kind runs.
const useOnClient = globalThis.document ? useLayoutEffect : useEffect;
