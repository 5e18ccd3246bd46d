// Requests to single servers on behalf of one request to the combined endpoint. Each part runs through the
// pipeline as if it had been sent to the server's own endpoint.

import type { JsonRpcNotification } from "@vitrine/protocol";
import { headerValue, NAMED } from "../../upstreams/http/mirrored-headers.ts";
import type { Caller } from "../caller.ts";
import { createExchange, type Exchange } from "../exchange.ts";
import type { Pipeline, Reply } from "../pipeline.ts";
import type { ServerBinding } from "../server-binding.ts";
import { prefixOf } from "./combined-names.ts";

/** What a part changes in the original request. */
export interface Part {
  server: ServerBinding;
  /** Parameters that replace those of the original. Undefined removes one. */
  params: Record<string, unknown>;
  /** Another method than that of the original. */
  method?: string;
  signal?: AbortSignal;
  notify?: (notification: JsonRpcNotification) => void;
}

/** Runs parts of requests. */
export interface Parts {
  /** The servers that a caller may see, by id. */
  visible(caller: Caller): ServerBinding[];
  /** The server with a prefix, if the caller may see it. */
  find(prefix: string, caller: Caller): ServerBinding | undefined;
  run(exchange: Exchange, part: Part): Promise<Reply>;
}

/** The options of `createParts`. */
export interface PartsOptions {
  pipeline: Pipeline;
  /** All servers. */
  servers(): Iterable<ServerBinding>;
  /** Whether a caller may see a server. */
  maySee(caller: Caller, server: ServerBinding): boolean;
}

/** Creates the function that runs parts. */
export function createParts({ pipeline, servers, maySee }: PartsOptions): Parts {
  const byPrefix = (): Map<string, ServerBinding> => {
    const found = new Map<string, ServerBinding>();
    const sorted = [...servers()].sort((one, other) => (one.id < other.id ? -1 : 1));
    // Two ids with one prefix are the operator's mistake. The first is used, for everybody.
    for (const server of sorted) {
      const prefix = prefixOf(server.id);
      if (!found.has(prefix)) found.set(prefix, server);
    }
    return found;
  };
  return {
    visible: (caller) => [...byPrefix().values()].filter((server) => maySee(caller, server)),
    find: (prefix, caller) => {
      const server = byPrefix().get(prefix);
      return server && maySee(caller, server) ? server : undefined;
    },
    run: (exchange, part) => pipeline.run(partOf(exchange, part)),
  };
}

function partOf(exchange: Exchange, part: Part): Exchange {
  const original = exchange.message as { method: string; params?: Record<string, unknown> };
  const { method = original.method } = part;
  const params = { ...original.params, ...part.params };
  for (const [key, value] of Object.entries(params)) if (value === undefined) delete params[key];
  const created = createExchange(
    { caller: exchange.caller, server: part.server },
    {
      carrier: exchange.carrier,
      // The original, not the completed frame: the pipeline completes and checks it again.
      message: { ...original, method, params },
      size: exchange.size,
      headers: headersOf(exchange, method, params),
      signal: part.signal ?? exchange.signal,
      notify: part.notify ?? exchange.notify,
    },
  );
  return Object.assign(created, { isPart: true });
}

/** The headers repeat the body, so they change with it. */
function headersOf(
  { headers }: Exchange,
  method: string,
  params: Record<string, unknown>,
): Exchange["headers"] {
  const { "mcp-name": _before, ...kept } = headers;
  const named = NAMED.get(method);
  const name = named === undefined ? undefined : params[named];
  return {
    ...kept,
    ...(kept["mcp-method"] !== undefined && { "mcp-method": method }),
    ...(typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}
