import type { RequestMessage } from "../json-rpc/message.ts";
import type { UpstreamAnswer, UpstreamScope } from "../upstreams/upstream.ts";
import type { Caller } from "./caller.ts";
import type { Exchange } from "./exchange.ts";
import type { ServerSettings } from "./server-binding.ts";

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
export function scopeOf({ caller, server }: Pick<Exchange, "caller" | "server">): UpstreamScope {
  return scopeFor(caller, server.settings);
}

/** The same for a server's settings. The user's groups and token only go where the operator wants them. */
export function scopeFor(
  { tenant, user, groups, token }: Caller,
  { passes }: Pick<ServerSettings, "passes">,
): UpstreamScope {
  return {
    ...{ tenant, user },
    ...(passes?.groups && groups && { groups }),
    ...(passes?.token && token && { subject: token }),
  };
}
