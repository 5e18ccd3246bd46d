// The servers of a gateway, for one of its users. The model's calls go out with the user's token, and each
// view has a ticket of its own; neither reaches the page.

import { type GatewayUpstream, openGatewayUpstream } from "@vitrine/host/gateway";
import type { AppsClients, AppsEvent } from "@vitrine/host/remote";
import {
  type ChatServers,
  type ChatServersOptions,
  startServers,
} from "../servers/chat-servers.ts";
import type { ServerList } from "../servers/server-list.ts";
import { type GatewayLogin, withSlash } from "./gateway-user.ts";

/** Which servers, and for whom. */
export interface GatewayServersOptions extends GatewayLogin {
  /** The gateway's names of the servers. */
  servers: readonly string[];
}

const MOST_VIEWS = 64;

/** Connects to all servers of the gateway. */
export function startGatewayServers(
  { gateway, token, servers }: GatewayServersOptions,
  options: ChatServersOptions,
): ChatServers {
  const base = withSlash(gateway);
  const headers = { authorization: `Bearer ${token}` };
  const list: ServerList = new Map(
    servers.map((name) => {
      const url = new URL(`servers/${encodeURIComponent(name)}/mcp`, base);
      return [name, { kind: "url", url, transport: "http", headers }];
    }),
  );
  // The gateway logs in to its servers itself.
  const { logins: _, ...rest } = options;
  const started = startServers(list, rest);
  const views = openViews((server, resource) =>
    openGatewayUpstream({
      gateway: base.href,
      server,
      resource,
      token: () => token,
      onChanged: async (changes) => {
        const { action } = await options.questions.ask(
          server,
          {
            message: `This app has changed since you allowed it: ${changes.join(", ")}. Open it?`,
            requestedSchema: { type: "object", properties: {} },
          },
          { conversation: options.conversation?.() },
        );
        return action === "accept";
      },
    }),
  );
  const clients: AppsClients = Object.fromEntries(
    Object.entries(started.clients).map(([name, lists]) => [
      name,
      ({ server, resource }) =>
        resource === undefined ? (lists as never) : views.find(server, resource),
    ]),
  );
  return {
    ...started,
    get states() {
      return started.states;
    },
    clients,
    close: async () => {
      views.close();
      await started.close();
    },
  };
}

/**
 * Records declined calls of views in the gateway's audit log. They never reach the gateway: the page's host
 * or this process rejects them before.
 */
export function reportDeclined({ gateway, token }: GatewayLogin): (event: AppsEvent) => void {
  return ({ event, server, tool }) => {
    if ((event !== "denied" && event !== "refused") || tool === undefined) return;
    const path = `servers/${encodeURIComponent(server)}/refusals`;
    fetch(new URL(path, withSlash(gateway)), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ tool }),
    }).catch(() => {
      // The call wasn't made; only its record is missing.
    });
  };
}

/** Keeps the connections of the views that were used last. */
function openViews(open: (server: string, resource: string) => Promise<GatewayUpstream>): {
  find(server: string, resource: string): Promise<GatewayUpstream>;
  close(): void;
} {
  const views = new Map<string, Promise<GatewayUpstream>>();
  const end = (view: Promise<GatewayUpstream> | undefined): void => {
    view?.then(
      (upstream) => upstream.close(),
      () => {},
    );
  };
  return {
    find: (server, resource) => {
      const key = JSON.stringify([server, resource]);
      const found = views.get(key) ?? open(server, resource);
      // The ones used last are at the end.
      views.delete(key);
      views.set(key, found);
      // A view that couldn't be opened is tried again.
      found.catch(() => views.get(key) === found && views.delete(key));
      const [oldest] = views.keys();
      if (views.size > MOST_VIEWS && oldest !== undefined) {
        end(views.get(oldest));
        views.delete(oldest);
      }
      return found;
    },
    close: () => {
      for (const view of views.values()) end(view);
      views.clear();
    },
  };
}
