import type { RequestMessage } from "../json-rpc/message.ts";
import type { UpstreamAnswer, UpstreamScope } from "../upstreams/upstream.ts";
import type { Exchange } from "./exchange.ts";

/** Sends the request that was checked. */
export function askServer(exchange: Exchange): Promise<UpstreamAnswer> {
  const { frame, server, signal, tool, notify } = exchange;
  return server.upstream.send({
    message: frame as RequestMessage,
    signal,
    deadline: server.settings.deadline,
    scope: scopeOf(exchange),
    inputSchema: tool?.inputSchema,
    paramHeaders: paramHeadersOf(exchange),
    onNotification: notify,
  });
}

/** Arguments that a client repeated as headers: an intermediary must forward them. */
function paramHeadersOf({ headers }: Exchange): Record<string, string> {
  const found = Object.entries(headers).filter(
    (entry): entry is [string, string] =>
      entry[0].startsWith("mcp-param-") && typeof entry[1] === "string",
  );
  return Object.fromEntries(found);
}

/** The owner of a call, in the form that upstreams use. */
export function scopeOf({ caller: { tenant, user } }: Exchange): UpstreamScope {
  return { tenant, user };
}
