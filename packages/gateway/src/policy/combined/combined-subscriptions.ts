// `subscriptions/listen` at the combined endpoint: one subscription at each server that the caller may see,
// also at servers that are added while it runs.

import type { JsonRpcNotification } from "@vitrine/protocol";
import { SUBSCRIPTION_ID_KEY } from "../../upstreams/frames/request-meta.ts";
import type { Exchange } from "../exchange.ts";
import type { Answer } from "../pipeline.ts";
import type { ServerBinding } from "../server-binding.ts";
import { combinedUri, parseUri } from "./addresses.ts";
import { prefixOf } from "./combined-names.ts";
import type { Parts } from "./parts.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const UPDATED = "notifications/resources/updated";
const LISTS = ["tools", "resources", "prompts"] as const;
const MOST_URIS = 100;

interface Running {
  /** Subscribes at servers that are new, and leaves those that are gone. */
  update(): void;
  /** Tells the caller that every list may have changed. */
  report(): void;
  end(): void;
}

/** The subscriptions at the combined endpoint. */
export class CombinedSubscriptions {
  readonly #parts: Parts;
  readonly #running = new Set<Running>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The gateway has other servers now. */
  serversChanged(): void {
    for (const running of this.#running) {
      running.update();
      running.report();
    }
  }

  close(): void {
    for (const { end } of this.#running) end();
  }

  /** Serves until the caller disconnects or the gateway closes. */
  async serve(exchange: Exchange): Promise<Answer> {
    const { frame, caller, signal } = exchange;
    const id = frame.id as string | number;
    const _meta = { [SUBSCRIPTION_ID_KEY]: id };
    const wanted = readFilter(frame.params?.notifications);
    const notify = (method: string, params: object): void =>
      exchange.notify({ jsonrpc: "2.0", method, params: { ...params, _meta } });
    notify(ACKNOWLEDGED, { notifications: wanted.honoured });
    const joined = new Map<ServerBinding, AbortController>();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    const running: Running = {
      end,
      update: () => {
        const servers = this.#parts.visible(caller);
        for (const [server, stop] of joined) if (!servers.includes(server)) stop.abort();
        for (const server of servers) {
          if (joined.has(server)) continue;
          const uris = wanted.uris.get(prefixOf(server.id));
          const notifications = { ...wanted.flags, ...(uris && { resourceSubscriptions: uris }) };
          const stop = new AbortController();
          joined.set(server, stop);
          const part = {
            server,
            params: { notifications },
            signal: AbortSignal.any([signal, stop.signal]),
            notify: (notification: JsonRpcNotification) => pass(exchange, server.id, notification),
          };
          // A server that refuses the subscription is asked again when the servers change.
          void this.#parts.run(exchange, part).finally(() => joined.delete(server));
        }
      },
      report: () => {
        for (const list of LISTS) {
          if (wanted.flags[`${list}ListChanged`]) notify(`notifications/${list}/list_changed`, {});
        }
      },
    };
    this.#running.add(running);
    running.update();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    await over;
    this.#running.delete(running);
    for (const stop of joined.values()) stop.abort();
    return { message: { jsonrpc: "2.0", id, result: { resultType: "complete", _meta } } };
  }
}

/** Passes a server's notification on, with the address that the caller knows. */
function pass(exchange: Exchange, server: string, notification: JsonRpcNotification): void {
  const { method, params } = notification;
  // The combined endpoint acknowledges once.
  if (method === ACKNOWLEDGED) return;
  const { uri } = Object(params) as { uri?: unknown };
  const isUpdate = method === UPDATED && typeof uri === "string";
  exchange.notify(
    isUpdate
      ? { ...notification, params: { ...Object(params), uri: combinedUri(server, uri) } }
      : notification,
  );
}

interface Filter {
  flags: Record<string, true>;
  /** The addresses at each server, by its prefix. */
  uris: ReadonlyMap<string, string[]>;
  honoured: Record<string, unknown>;
}

function readFilter(requested: unknown): Filter {
  const given = Object(requested) as Record<string, unknown>;
  const flags = Object.fromEntries(
    LISTS.map((list) => `${list}ListChanged`)
      .filter((flag) => given[flag] === true)
      .map((flag) => [flag, true as const]),
  );
  const { resourceSubscriptions } = given;
  const asked = (Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [])
    .filter((uri) => typeof uri === "string" && parseUri(uri) !== undefined)
    .slice(0, MOST_URIS) as string[];
  const uris = new Map<string, string[]>();
  for (const each of asked) {
    const { prefix, uri } = parseUri(each) as { prefix: string; uri: string };
    uris.set(prefix, [...(uris.get(prefix) ?? []), uri]);
  }
  return {
    flags,
    uris,
    honoured: { ...flags, ...(asked.length > 0 && { resourceSubscriptions: asked }) },
  };
}
