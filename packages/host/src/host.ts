// The page's host: everything that views share. `ViewController` is one view from mount to close,
// `ViewSession` one load of its document, `AppBridge` its messages.

import type { McpUiHostContext } from "@vitrine/protocol/apps";
import type { Permissions } from "./consent/permission.ts";
import {
  type Conversation,
  createConversation,
  type OwnedConversation,
} from "./conversation/conversation.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { HostEvent } from "./host-event.ts";
import type { HostOptions } from "./host-options.ts";
import type { AppRequest, HostedView } from "./hosted-view.ts";
import { createLiveViews } from "./live-views.ts";
import type { ModelContext } from "./model/model-context.ts";
import { plainName } from "./plain-name.ts";
import type { PreparedFrames } from "./prepared-frames.ts";
import type { UiResourceCache, UiResourceReader } from "./resources/ui-resource.ts";
import { createSurface, type Surface } from "./surface/surface.ts";
import type { ViewController } from "./view-controller.ts";
import { ALL_MODES } from "./view-host-context.ts";
import { memoryStore } from "./view-record.ts";
import { startWarmUp } from "./warm-up.ts";

/** The host of a page. */
export interface Host {
  readonly options: HostOptions;
  /** The model context of the default conversation. */
  readonly modelContext: ModelContext;
  /** The mounted views of the default conversation. */
  readonly views: ReadonlyMap<string, HostedView>;
  /**
   * The conversation with this id, which owns its views, their records and their model context. The
   * same object until the conversation is closed or deleted.
   */
  conversation(id: string): Conversation;
  /** Shows a view in the default conversation, for pages that have only one. */
  mount(container: HTMLElement, app: AppRequest): HostedView;
  /** Prepares a view before its tool has run: its HTML and, if the browser allows it, its frame. */
  prepare(app: Pick<AppRequest, "upstream" | "tool">): Promise<void>;
  /** Changes the host context of all views, such as the theme. */
  setContext(context: McpUiHostContext): void;
  /** Reports every failure, and hints for authors. */
  onDiagnostic(listener: (diagnostic: Diagnostic) => void): () => void;
  /** Calls `listener` with times, counts and outcomes of all views, for telemetry. */
  onEvent(listener: (event: HostEvent) => void): () => void;
  /** The remembered answers of the user: to list them, and to revoke them. */
  readonly permissions: Permissions;
  /** Removes a view of the default conversation, and its record. */
  forget(key: string): Promise<void>;
  /** Closes every view. Idempotent. */
  close(): Promise<void>;
}

/** Creates a page's host. */
export function createHost(options: HostOptions): Host {
  // A name outside of a namespace could shadow another method.
  for (const name of Object.keys(options.methods ?? {})) {
    if (!/^x-[\w-]+\/./.test(name)) throw new TypeError(`"${name}" isn't like "x-product/method".`);
  }
  const { sandbox, tenant, user, displayModes, store = memoryStore() } = options;
  const conversations = new Map<string, OwnedConversation>();
  const listeners = new Set<(diagnostic: Diagnostic) => void>();
  const eventListeners = new Set<(event: HostEvent) => void>();
  let cache: Promise<UiResourceCache> | undefined;
  const loadCache = (): Promise<UiResourceCache> => {
    cache ??= import("./view-start.ts").then((start) => start.createUiResourceCache());
    // The next view tries again, after a network failure for example.
    cache.catch(() => {
      cache = undefined;
    });
    return cache;
  };
  const resources: UiResourceReader = {
    read: async (...request) => (await loadCache()).read(...request),
  };
  const draw = ({ tool, upstream }: Pick<AppRequest, "tool" | "upstream">): Surface =>
    createSurface({
      title: plainName(tool.title ?? "", tool.name),
      server: upstream.server,
      modes: displayModes ?? ALL_MODES,
      messages: options.messages,
      describeServer: options.describeServer,
      regions: options.regions,
      developer: options.developer,
      decorations: options.decorations,
    });
  let prepared: PreparedFrames | undefined;
  let context = options.context ?? {};
  let isClosed = false;

  const host: Host = {
    options,
    get views() {
      return conversationOf("").views;
    },
    get modelContext() {
      return conversationOf("").modelContext;
    },
    conversation: (id) => {
      if (id === "")
        throw new TypeError("A conversation needs an id. `host.mount` uses the default one.");
      return conversationOf(id);
    },
    mount: (container, app) => conversationOf("").mount(container, app),
    prepare: async (app) => {
      const { createPreparedFrames } = await import("./view-start.ts");
      if (isClosed) return;
      const owner = { sandbox, tenant, user };
      prepared ??= createPreparedFrames({ ...owner, resources, createSurface: draw });
      await prepared.prepare(app);
    },
    setContext: (changes) => {
      context = { ...context, ...changes };
      for (const view of allViews()) view.refreshContext();
    },
    onDiagnostic: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEvent: (listener) => {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    permissions: {
      list: async () => (await loadPermissions()).list(),
      revoke: async (permission) => (await loadPermissions()).revoke(permission),
      onChange: (listener) => {
        // If it can't be loaded, `list` reports it.
        const stopping = loadPermissions().then(
          ({ onChange }) => onChange(listener),
          () => {},
        );
        return () => void stopping.then((stop) => stop?.());
      },
    },
    forget: (key) => conversationOf("").forget(key),
    close: async () => {
      stopListening?.();
      isClosed = true;
      cool();
      prepared?.close();
      await Promise.all([...conversations.values()].map((conversation) => conversation.close()));
    },
  };
  const loadPermissions = async (): Promise<Permissions> => {
    const { permissionsOf } = await import("./consent/host-consent.ts");
    return permissionsOf(shared.options);
  };
  const conversationOf = (id: string): OwnedConversation => {
    const open = conversations.get(id);
    if (open) return open;
    const conversation = createConversation(id, {
      ...shared,
      // A product may go on with a conversation that it has closed. With the first view, because a host
      // can also be created on a server, which has no page.
      onMount: () => {
        if (!conversations.has(id)) conversations.set(id, conversation);
        stopListening ??= followPage(allViews);
      },
      onClose: () => conversations.get(id) === conversation && conversations.delete(id),
    });
    // A server has no views, and would keep the conversations of all its users.
    if (globalThis.document) conversations.set(id, conversation);
    return conversation;
  };
  const shared = {
    options: {
      ...options,
      // The current one: the dialog has its colours.
      get context() {
        return context;
      },
    },
    store,
    resources,
    takePrepared: (app: AppRequest) => prepared?.take(app),
    live: createLiveViews({ limit: options.liveViews ?? 8 }),
    context: () => context,
    createSurface: draw,
    report: (diagnostic: Diagnostic): void => {
      for (const listener of [...listeners]) listener(diagnostic);
    },
    emit: (event: HostEvent): void => {
      // The first view's own frame keeps the sandbox's process from here on.
      if (event.type === "stage" && event.stage === "document") cool();
      for (const listener of [...eventListeners]) listener(event);
    },
  };
  const allViews = (): ViewController[] =>
    [...conversations.values()].flatMap(({ views }) => [...views.values()]);
  let stopListening: (() => void) | undefined;
  const cool = options.warmUp === false ? () => {} : startWarmUp(sandbox);
  return host;
}

/** Ends views when the page is closed, and starts them again if the browser shows it again. */
function followPage(views: () => ViewController[]): () => void {
  // HST-49: whatever the cause. A page that is being closed can't wait for the response.
  const leave = (): void => {
    for (const view of views()) view.leave();
  };
  const comeBack = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) for (const view of views()) view.comeBack();
  };
  addEventListener("pagehide", leave);
  addEventListener("pageshow", comeBack);
  return () => {
    removeEventListener("pagehide", leave);
    removeEventListener("pageshow", comeBack);
  };
}
