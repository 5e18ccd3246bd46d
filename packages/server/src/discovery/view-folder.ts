// A folder of views on one or many servers: behind HTTP a server is built for each request, and all
// of them serve the same folder. Changes on disk are served from then on, under the same URI, and
// connected clients are notified.

import {
  type McpUiToolMeta,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from "@vitrine/protocol/apps";
import type { ResourceServer } from "../mcp-server.ts";
import { registerAppResource } from "../registration.ts";
import { checkUiUri } from "../ui-uri.ts";
import type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
import { discoverViews } from "./discovered-views.ts";
import type { ViewProblem } from "./problem.ts";
import { type ViewsChange, type ViewWatch, watchViews } from "./view-watch.ts";

/** How a folder is served. */
export interface ViewFolderOptions extends DiscoveryOptions {
  /** First part of the URIs, `ui://<server>/<view>`. */
  server: string;
  /** Serve changes on disk, and notify connected clients; for development. */
  watch?: boolean;
}

/** The views of a folder, ready to be registered. */
export interface ViewFolder {
  readonly views: readonly DiscoveredView[];
  /** All problems in it. */
  readonly problems: readonly ViewProblem[];
  /** The URI of a view, if it can be served. */
  uri(id: string): string | undefined;
  /** `_meta` for the tool that a View belongs to; `undefined` if the tool has none. */
  toolMeta(toolName: string): FolderToolMeta | undefined;
  /** Registers every view on a server, and later ones too, until it closes. */
  register(server: ResourceServer): void;
  /**
   * Calls `listener` after each change; behind `createMcpHandler`, call `notify.resourcesChanged()`
   * there. Returns an unsubscribe function.
   */
  onChange(listener: (change: ViewsChange) => void): () => void;
  /** Stops watching; registered views stay. Idempotent. */
  close(): void;
}

/** `_meta` of a tool with a View, under both keys. */
export interface FolderToolMeta {
  [key: string]: unknown;
  ui: McpUiToolMeta;
}

/** The part of an official server that is notified of changes. */
interface LiveServer {
  sendResourceListChanged?(): unknown;
  server?: { onclose?: (() => void) | undefined };
}

interface Handle {
  update?(updates: { metadata: object }): unknown;
  remove?(): unknown;
}

/** Opens a folder of views. */
export function openViewFolder(root: string, options: ViewFolderOptions): ViewFolder {
  const listeners = new Set<(change: ViewsChange) => void>();
  const registered = new Map<ResourceServer, Map<string, Handle>>();
  const watching: ViewWatch | undefined = options.watch
    ? watchViews(root, { ...options, onChange })
    : undefined;
  const found = watching ? [] : discoverViews(root, options);
  const views = (): readonly DiscoveredView[] => watching?.views ?? found;
  const uriOf = (id: string): string => `ui://${slug(options.server)}/${encodeURIComponent(id)}`;
  const served = (id: string): DiscoveredView | undefined =>
    views().find((view) => view.id === id && view.source && isUri(uriOf(id)));

  function onChange(change: ViewsChange): void {
    for (const [server, handles] of registered) {
      for (const id of change.changed) renew(server, handles, id);
      (server as LiveServer).sendResourceListChanged?.();
    }
    for (const listener of listeners) listener(change);
  }

  function renew(server: ResourceServer, handles: Map<string, Handle>, id: string): void {
    const view = served(id);
    const handle = handles.get(id);
    if (view && handle)
      handle.update?.({ metadata: { ...listing(view), mimeType: RESOURCE_MIME_TYPE } });
    else if (view) handles.set(id, put(server, view));
    else if (handle) {
      handle.remove?.();
      handles.delete(id);
    }
  }

  function put(server: ResourceServer, view: DiscoveredView): Handle {
    const uri = uriOf(view.id);
    const read = (): { contents: object[] } => {
      // The newest; between a change and its event the previous one is better than none.
      const { source, resourceMeta } = served(view.id) ?? view;
      const _meta = { ...resourceMeta, ui: source?.meta };
      return { contents: [{ uri, text: source?.html() ?? "", _meta }] };
    };
    const { dev } = options;
    return registerAppResource(server, view.name, uri, listing(view), read, { dev }) as Handle;
  }

  return {
    get views() {
      return views();
    },
    get problems() {
      return views().flatMap(({ problems }) => problems);
    },
    uri: (id) => (served(id) ? uriOf(id) : undefined),
    toolMeta: (toolName) => {
      const view = views().find((view) => view.toolName === toolName && served(view.id));
      if (!view) return undefined;
      const ui = { resourceUri: uriOf(view.id), visibility: ["model", "app"], ...view.toolMeta };
      return { ui: ui as McpUiToolMeta, [RESOURCE_URI_META_KEY]: ui.resourceUri };
    },
    register: (server) => {
      if (registered.has(server)) return;
      const ids = views().map(({ id }) => id);
      const handles = new Map<string, Handle>();
      for (const id of new Set(ids)) {
        const view = served(id);
        if (view) handles.set(id, put(server, view));
      }
      if (watching) keepUntilClosed(server, handles);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      watching?.close();
      registered.clear();
    },
  };

  function keepUntilClosed(server: ResourceServer, handles: Map<string, Handle>): void {
    registered.set(server, handles);
    const inner = (server as LiveServer).server;
    if (!inner) return;
    const before = inner.onclose;
    inner.onclose = () => {
      registered.delete(server);
      before?.();
    };
  }
}

function listing({ description, source, resourceMeta }: DiscoveredView): {
  description?: string;
  _meta: Record<string, unknown>;
} {
  return { ...(description && { description }), _meta: { ...resourceMeta, ui: source?.meta } };
}

/** A name that can be the host of a URI. */
function slug(name: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9.-]+/g, "-");
  return words.replace(/^[-.]+|[-.]+$/g, "") || "server";
}

function isUri(uri: string): boolean {
  try {
    return checkUiUri(uri) === uri;
  } catch {
    return false;
  }
}
