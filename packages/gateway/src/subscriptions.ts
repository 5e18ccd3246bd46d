// Changes of a server's lists, told to those who asked. One subscription upstream for each server and
// user, however many listen; since 2026-07-28 a server tells only who asks.

import type { Caller, Exchange } from "./pipeline/exchange.ts";
import type { Answer } from "./pipeline/pipeline.ts";
import type { Refusal } from "./pipeline/refusal.ts";
import type { ServerBinding } from "./servers.ts";
import { SUBSCRIPTION_ID_KEY } from "./upstreams/frames/envelope.ts";
import type { UpstreamEvent } from "./upstreams/upstream.ts";

/** Who listens to which server. */
export interface Subscriptions {
  /** Serves `subscriptions/listen`: frames as notifications, the result when it is over. */
  serve(exchange: Exchange): Promise<Refusal | Answer>;
  /** From now on it hears of the changes of its server. */
  join(listener: Listener): void;
  leave(listener: Listener): void;
  /** The server has another upstream: whoever listens, listens there from now on. */
  move(server: ServerBinding): void;
  close(): void;
}

/** Who hears of the changes of a server. There is one for each View, so it is no closure but what is there. */
export interface Listener {
  readonly server: ServerBinding;
  readonly caller: Caller;
  hear(event: UpstreamEvent): void;
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

/** Keeps the subscriptions of a gateway. */
export function createSubscriptions(): Subscriptions {
  const ears = new Map<string, Ear>();
  const over = new AbortController();

  const join = (listener: Listener): void => {
    const { server } = listener;
    const { tenant, user } = listener.caller;
    const key = keyOf(listener);
    let ear = ears.get(key);
    if (!ear) {
      const listeners = new Set<Listener>();
      const hear = (event: UpstreamEvent): void => {
        // First what is kept here, then those who will ask for it.
        server.catalogue.invalidate(event.kind);
        for (const each of [...listeners]) each.hear(event);
      };
      const listen = (): (() => void) => server.upstream.listen({ tenant, user }, hear);
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
    serve: (exchange) =>
      new Promise((resolve) => {
        const { frame, server, caller, signal } = exchange;
        const wanted = readFilter(frame.params?.notifications);
        const _meta = { [SUBSCRIPTION_ID_KEY]: frame.id };
        const tell = (method: string, params: object): void => {
          exchange.notify({ jsonrpc: "2.0", method, params: { ...params, _meta } });
        };
        tell("notifications/subscriptions/acknowledged", { notifications: wanted.honoured });
        const hear = ({ kind, uri }: UpstreamEvent): void => {
          if (kind === "resource") {
            if (uri && wanted.uris.has(uri)) tell("notifications/resources/updated", { uri });
          } else if (wanted.lists.has(kind)) tell(`notifications/${kind}/list_changed`, {});
        };
        const listener = { server, caller, hear };
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
      }),
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

function readFilter(asked: unknown): Filter {
  const given = Object(asked) as Record<string, unknown>;
  const lists = Object.entries(FLAGS).filter(([, flag]) => given[flag] === true);
  const { resourceSubscriptions } = given;
  const uris = (Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [])
    .filter((uri) => typeof uri === "string")
    .slice(0, MOST_URIS);
  return {
    lists: new Set(lists.map(([list]) => list)),
    uris: new Set(uris),
    honoured: {
      ...Object.fromEntries(lists.map(([, flag]) => [flag, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    },
  };
}
