// The page's side of the server half: upstreams whose requests go to the product's own server.

import { RpcError } from "@vitrine/protocol";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type {
  ListName,
  SandboxCredential,
  Upstream,
  UpstreamCapabilities,
  UpstreamRequestOptions,
} from "../upstreams/upstream.ts";
import { createListFeed } from "./list-feed.ts";
import { createRemoteLink, type RemoteLink, type RemoteLinkOptions } from "./remote-link.ts";
import {
  CONSENT_REQUIRED,
  type OpenedView,
  type RemoteServer,
  VIEW_EXPIRED,
  type ViewTool,
} from "./remote-messages.ts";

/** Options of `createRemoteServers`. */
export interface RemoteServersOptions extends RemoteLinkOptions {
  /** Keeps a request open that reports changed lists; on by default. */
  followLists?: boolean;
}

/** The servers behind a product's server. */
export interface RemoteServers {
  /** The servers, with the tools that open views; asked for once, and again after a change. */
  catalogue(): Promise<readonly RemoteServer[]>;
  /** The upstream of a tool's view. The same object for the same tool. */
  upstream(view: ViewTool): Upstream;
  /** Accepts what `handler.open` returned on the server, so that the page need not ask for it. */
  receive(opened: OpenedView): void;
  /** Loads a view before its result is there. */
  prepare(view: ViewTool): Promise<void>;
  /** Reports a call of the view that the user or the host didn't allow, for the server's audit log. */
  reportRefusal(view: ViewTool, tool: string): void;
  /** Calls `listener` when the catalogue should be read again. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Ends the open request. Idempotent. */
  close(): void;
}

interface RemoteView {
  upstream: Upstream;
  receive(opened: OpenedView): void;
  prepare(): Promise<void>;
  reportRefusal(tool: string): void;
}

/** Connects a page to its product's server, where `createAppsHandler` answers. */
export function createRemoteServers(options: RemoteServersOptions): RemoteServers {
  const link = createRemoteLink(options);
  const views = new Map<string, RemoteView>();
  const listeners = new Set<() => void>();
  let catalogue: Promise<readonly RemoteServer[]> | undefined;
  const feed = createListFeed(link, { isOn: options.followLists !== false });
  feed.onChange((_, list) => {
    if (list !== "tools") return;
    catalogue = undefined;
    for (const listener of [...listeners]) listener();
  });

  const viewOf = ({ server, tool }: ViewTool): RemoteView => {
    const key = JSON.stringify([server, tool]);
    const known = views.get(key);
    if (known) return known;
    const view = createRemoteView({ server, tool }, link, (listener) => {
      feed.start();
      return feed.onChange((changed, list) => {
        if (changed === undefined || changed === server) listener(list);
      });
    });
    views.set(key, view);
    return view;
  };

  return {
    catalogue: () => {
      if (!catalogue) {
        const asked = link
          .send("apps/catalogue", {})
          .then((result) => (result as { servers: RemoteServer[] }).servers);
        catalogue = asked;
        // The next call tries again.
        asked.catch(() => {
          if (catalogue === asked) catalogue = undefined;
        });
      }
      return catalogue;
    },
    upstream: (view) => viewOf(view).upstream,
    receive: (opened) => viewOf({ server: opened.server, tool: opened.tool.name }).receive(opened),
    prepare: (view) => viewOf(view).prepare(),
    reportRefusal: (view, tool) => viewOf(view).reportRefusal(tool),
    onChange: (listener) => {
      feed.start();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      feed.close();
      listeners.clear();
    },
  };
}

/** An upstream for the view of one tool, for products that name it themselves. */
export function remoteUpstream({
  server,
  tool,
  ...options
}: RemoteServersOptions & ViewTool): Upstream {
  return createRemoteServers(options).upstream({ server, tool });
}

function createRemoteView(
  view: ViewTool,
  link: RemoteLink,
  onListChanged: (listener: (list: ListName) => void) => () => void,
): RemoteView {
  let opening: Promise<OpenedView> | undefined;
  let capabilities: UpstreamCapabilities = { tools: {}, resources: {} };
  // Each is used once: a resource may change, and a credential is valid for one registration.
  let resource: OpenedView["resource"] | undefined;
  let credential: SandboxCredential | undefined;

  const take = (opened: OpenedView): OpenedView => {
    ({ capabilities, resource, credential } = opened);
    return opened;
  };
  const open = (): Promise<OpenedView> => {
    if (!opening) {
      const asked = link.send("apps/open", view).then((opened) => take(opened as OpenedView));
      opening = asked;
      asked.catch(() => {
        if (opening === asked) opening = undefined;
      });
    }
    return opening;
  };

  /** Sends a request of the view; opens the view again if the server half doesn't know it any more. */
  const send = async (
    method: string,
    params: object,
    options: UpstreamRequestOptions & { consent?: string } = {},
  ): Promise<unknown> => {
    const opened = await open();
    try {
      return await link.send(method, params, { ...options, view: opened.view });
    } catch (error) {
      if (codeOf(error) !== VIEW_EXPIRED) throw error;
      opening = undefined;
      return link.send(method, params, { ...options, view: (await open()).view });
    }
  };

  const request = async (
    method: string,
    params: object,
    options: UpstreamRequestOptions = {},
  ): Promise<unknown> => {
    options.signal?.throwIfAborted();
    if (method === "resources/read") {
      const opened = await open();
      const held = resource;
      if (held && (params as { uri?: unknown }).uri === toolResourceUri(opened.tool).uri) {
        resource = undefined;
        return held;
      }
    }
    try {
      return await send(method, params, options);
    } catch (error) {
      const { consent } = Object((error as RpcError).data) as { consent?: unknown };
      if (codeOf(error) !== CONSENT_REQUIRED || typeof consent !== "string") throw error;
      // Nothing has reached the server yet. The host asked the user before it sent the request.
      return send(method, params, { ...options, consent });
    }
  };

  return {
    upstream: {
      server: view.server,
      get capabilities() {
        return capabilities;
      },
      request: request as Upstream["request"],
      onListChanged,
      sandboxCredential: async () => {
        await open();
        const held = credential;
        credential = undefined;
        if (held) return held;
        const answer = await send("apps/credential", {});
        return (answer as { credential?: SandboxCredential }).credential;
      },
    },
    receive: (opened) => {
      opening = Promise.resolve(take(opened));
    },
    prepare: async () => void (await open()),
    // A report that gets lost must not become a failure of the view.
    reportRefusal: (tool) => void send("apps/refused", { tool }).catch(() => {}),
  };
}

function codeOf(error: unknown): number | undefined {
  return error instanceof RpcError ? error.code : undefined;
}
