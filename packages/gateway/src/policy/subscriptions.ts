// Forwards changes of a server's lists to subscribers. There is one upstream subscription per server and
// user, because since 2026-07-28 a server only notifies subscribers.

import type { Refusal } from "../errors/refusal.ts";
import { SUBSCRIPTION_ID_KEY } from "../upstreams/frames/request-meta.ts";
import type { UpstreamEvent } from "../upstreams/upstream.ts";
import { type Access, mayRead, OPEN_ACCESS } from "./authorization/access.ts";
import type { Caller } from "./caller.ts";
import type { Exchange } from "./exchange.ts";
import type { Answer } from "./pipeline.ts";
import type { ServerBinding } from "./server-binding.ts";
import { scopeOf } from "./server-request.ts";

/** The subscribers of each server. */
export interface Subscriptions {
  /** Serves `subscriptions/listen`: notifications for each change, and the result when it ends. */
  serve(exchange: Exchange): Promise<Refusal | Answer>;
  /** Subscribes a listener to the changes of its server. */
  join(listener: Listener): void;
  leave(listener: Listener): void;
  /** Moves the listeners of a server to its new upstream. */
  move(server: ServerBinding): void;
  close(): void;
}

/** Receives the changes of a server. An object instead of a closure, because there is one per View. */
export interface Listener {
  readonly server: ServerBinding;
  readonly caller: Caller;
  onChange(event: UpstreamEvent): void;
}

interface Ear {
  server: string;
  listeners: Set<Listener>;
  listen(): () => void;
  stop: () => void;
}

const FLAGS = {
  tools: "toolsListChanged",
  resources: "resourcesListChanged",
  prompts: "promptsListChanged",
};
const MOST_URIS = 100;

/** Creates the subscriptions of a gateway. */
export function createSubscriptions(access: Access = OPEN_ACCESS): Subscriptions {
  const ears = new Map<string, Ear>();
  const over = new AbortController();

  /** The policies may have changed since the listener joined. */
  const tellReader = async (
    listener: Listener,
    event: UpstreamEvent,
    listeners: ReadonlySet<Listener>,
  ): Promise<void> => {
    const isAllowed = await mayRead(access, listener, `${event.uri}`).catch(() => false);
    if (isAllowed && listeners.has(listener)) listener.onChange(event);
  };
  const join = (listener: Listener): void => {
    const { server } = listener;
    const key = keyOf(listener);
    let ear = ears.get(key);
    if (!ear) {
      const listeners = new Set<Listener>();
      const onChange = (event: UpstreamEvent): void => {
        // Drop cached lists first, because the listeners will request them.
        server.catalogue.invalidate(event.kind);
        for (const each of [...listeners]) {
          if (event.kind !== "resource" || access.authorizer === undefined) each.onChange(event);
          else void tellReader(each, event, listeners);
        }
      };
      const listen = (): (() => void) => server.upstream.listen(scopeOf(listener), onChange);
      ear = { server: server.id, listeners, listen, stop: listen() };
      ears.set(key, ear);
    }
    ear.listeners.add(listener);
  };
  const leave = (listener: Listener): void => {
    const key = keyOf(listener);
    const ear = ears.get(key);
    if (!ear?.listeners.delete(listener) || ear.listeners.size > 0) return;
    ears.delete(key);
    ear.stop();
  };

  return {
    join,
    leave,
    move: (server) => {
      for (const ear of ears.values()) {
        if (ear.server !== server.id) continue;
        ear.stop();
        ear.stop = ear.listen();
      }
    },
    serve: async (exchange) => {
      const wanted = await readFilter(exchange.frame.params?.notifications, (uri) =>
        mayRead(access, exchange, uri),
      );
      return new Promise((resolve) => {
        const { frame, server, caller, signal } = exchange;
        const _meta = { [SUBSCRIPTION_ID_KEY]: frame.id };
        const notify = (method: string, params: object): void => {
          exchange.notify({ jsonrpc: "2.0", method, params: { ...params, _meta } });
        };
        notify("notifications/subscriptions/acknowledged", { notifications: wanted.honoured });
        const onChange = ({ kind, uri }: UpstreamEvent): void => {
          if (kind === "resource") {
            if (uri && wanted.uris.has(uri)) notify("notifications/resources/updated", { uri });
          } else if (wanted.lists.has(kind)) notify(`notifications/${kind}/list_changed`, {});
        };
        const listener = { server, caller, onChange };
        join(listener);
        const end = (): void => {
          leave(listener);
          const result = { resultType: "complete", _meta };
          resolve({ message: { jsonrpc: "2.0", id: frame.id as string | number, result } });
        };
        signal.addEventListener("abort", end, { once: true });
        over.signal.addEventListener("abort", end, { once: true });
        exchange.releases.push(() => over.signal.removeEventListener("abort", end));
        if (signal.aborted || over.signal.aborted) end();
      });
    },
    close: () => {
      over.abort();
      for (const { stop } of ears.values()) stop();
      ears.clear();
    },
  };
}

function keyOf({ server, caller: { tenant, user } }: Listener): string {
  return JSON.stringify([server.id, tenant, user]);
}

interface Filter {
  lists: ReadonlySet<string>;
  uris: ReadonlySet<string>;
  honoured: Record<string, unknown>;
}

/** Addresses that the caller may not read aren't honoured. */
async function readFilter(
  requested: unknown,
  isReadable: (uri: string) => Promise<boolean>,
): Promise<Filter> {
  const given = Object(requested) as Record<string, unknown>;
  const lists = Object.entries(FLAGS).filter(([, flag]) => given[flag] === true);
  const { resourceSubscriptions } = given;
  const requestedUris = (Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [])
    .filter((uri) => typeof uri === "string")
    .slice(0, MOST_URIS);
  const uris: string[] = [];
  for (const uri of requestedUris) if (await isReadable(uri)) uris.push(uri);
  return {
    lists: new Set(lists.map(([list]) => list)),
    uris: new Set(uris),
    honoured: {
      ...Object.fromEntries(lists.map(([, flag]) => [flag, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    },
  };
}
