// The last step of the pipeline: requests that the gateway answers itself, and requests that it forwards.

import type { JsonRpcResult } from "@vitrine/protocol";
import { type Refusal, type RefusalCode, refuse } from "../errors/refusal.ts";
import {
  LEGACY_VERSION,
  MODERN_VERSION,
  SERVER_INFO_KEY,
} from "../upstreams/frames/request-meta.ts";
import { isRepeatable } from "../upstreams/transport.ts";
import { UpstreamError, type UpstreamErrorCode } from "../upstreams/upstream.ts";
import { type Access, mayRead, maySeeTemplate, mayUse } from "./authorization/access.ts";
import { CUT_OFF, type Exchange } from "./exchange.ts";
import type { Answer, Forwarder } from "./pipeline.ts";
import type { UiResources } from "./resources/ui-resources.ts";
import { askServer, scopeOf } from "./server-request.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The options of `createForwarder`. */
export interface ForwardingOptions {
  resources: UiResources;
  subscriptions: Subscriptions;
  /** The policies, which decide what is listed. */
  access: Access;
}

// Messages for callers about failures on the way to a server.
const MESSAGES: Record<UpstreamErrorCode, [RefusalCode, string]> = {
  unreachable: ["unavailable", "The server is unreachable. Try again later."],
  timeout: ["timeout", "The server didn't respond in time. Try again later."],
  aborted: ["aborted", "The request was cancelled."],
  "too-large": ["unavailable", "The server's response is too large. Request less data."],
  malformed: [
    "unavailable",
    "The server sent an invalid response. Report this to the server's operator.",
  ],
  crashed: ["unavailable", "The server crashed and is restarting. Try again in a moment."],
  unauthorized: ["connect-required", "You aren't logged in to this server. Connect it first."],
  "breaker-open": [
    "unavailable",
    "The server failed several times, so calls are paused. Try again in a moment.",
  ],
  "outcome-unknown": [
    "outcome-unknown",
    "The connection to the server was lost during the call, so the call may have been executed. Check before you repeat it.",
  ],
  busy: ["busy", "The server is busy. Try again later."],
  "refused-address": [
    "unavailable",
    "The gateway may not call the server's address. Ask the operator to check the configuration.",
  ],
  closed: ["draining", "The gateway is shutting down. Try again in a moment."],
};

/** Creates the forwarder. */
export function createForwarder(options: ForwardingOptions): Forwarder {
  const { resources, subscriptions, access } = options;
  const own = new Map<string, (exchange: Exchange) => Promise<Refusal | Answer>>([
    // Hosts send it to servers that no longer support it.
    ["ping", async (exchange) => result(exchange, {})],
    // Without a session the level can't be stored. Each older request gets its log messages with its
    // response.
    ["logging/setLevel", async (exchange) => result(exchange, {})],
    ["initialize", initialize],
    ["tools/list", (exchange) => listTools(exchange, access)],
    ["resources/list", (exchange) => listOthers(exchange, "resources", access)],
    ["resources/templates/list", (exchange) => listOthers(exchange, "resourceTemplates", access)],
    ["prompts/list", (exchange) => listOthers(exchange, "prompts", access)],
    ["resources/read", (exchange) => resources.read(exchange)],
    ["subscriptions/listen", (exchange) => subscriptions.serve(exchange)],
  ]);
  return {
    forward: (exchange) => {
      const { method, id } = exchange.frame;
      if (id === undefined) return passNotification(exchange);
      return (own.get(method) ?? askServer)(exchange);
    },
    explain: ({ server, signal, frame }, error) => {
      if (!(error instanceof UpstreamError)) throw error;
      const [code, message] = MESSAGES[codeOf(error, signal, frame.method)];
      return refuse(code, message, { data: { server: server.id } });
    },
  };
}

/** A gateway that stops cancels calls which nobody wanted to cancel. The server may have executed them. */
function codeOf(
  { code }: UpstreamError,
  { reason }: AbortSignal,
  method: string,
): UpstreamErrorCode {
  if (code !== "aborted" || reason !== CUT_OFF) return code;
  return isRepeatable(method) ? "closed" : "outcome-unknown";
}

async function passNotification(exchange: Exchange): Promise<Answer> {
  const { frame, server, caller } = exchange;
  // Notifications of a handshake or session, and a View's log messages, aren't forwarded.
  const isForServer = caller.party === "model" && !/\/initialized$/.test(frame.method);
  if (isForServer) await server.upstream.notify(frame, scopeOf(exchange));
  return { message: undefined };
}

/** Creates a result from the gateway itself. */
function result({ frame }: Exchange, value: object): Answer {
  return { message: { jsonrpc: "2.0", id: frame.id as string | number, result: value } };
}

/** The handshake of the older protocol. It doesn't create a session; each later request stands alone. */
async function initialize(exchange: Exchange): Promise<Refusal | Answer> {
  const { server, frame } = exchange;
  const found = await server.upstream.discover(scopeOf(exchange));
  const { instructions } = found;
  // Resource updates would need a session.
  const { subscribe: _none, ...resources } = Object(found.capabilities.resources);
  const capabilities = {
    ...found.capabilities,
    ...(found.capabilities.resources !== undefined && { resources }),
  };
  const serverInfo = found._meta?.[SERVER_INFO_KEY];
  const requested = frame.params?.protocolVersion;
  return result(exchange, {
    protocolVersion:
      typeof requested === "string" && requested !== MODERN_VERSION ? requested : LEGACY_VERSION,
    capabilities,
    serverInfo: serverInfo ?? { name: server.id, version: "0" },
    ...(instructions !== undefined && { instructions }),
  });
}

function withoutView<Tool extends { _meta?: unknown }>(tool: Tool): Tool {
  const { ui, "ui/resourceUri": _flat, ...rest } = Object(tool._meta) as Record<string, unknown>;
  const { resourceUri: _nested, ...kept } = Object(ui) as Record<string, unknown>;
  const meta = { ...rest, ...(Object.keys(kept).length > 0 && { ui: kept }) };
  return tool._meta === undefined ? tool : { ...tool, _meta: meta };
}

/** Removes the tools that the caller may not call from a page of the list. */
async function listTools(exchange: Exchange, access: Access): Promise<Refusal | Answer> {
  const { server, caller } = exchange;
  const { catalogue } = server;
  let [{ message }, tools] = await Promise.all([askServer(exchange), catalogue.tools(caller)]);
  const found =
    "result" in message ? (message.result as { tools?: { name: string; _meta?: unknown }[] }) : {};
  const listed = found.tools;
  if (!Array.isArray(listed)) return { message };
  // The server has new tools. Without a subscriber, it can't report changes.
  if (tools.isWhole && !listed.every((tool) => tools.knows(`${tool?.name}`))) {
    catalogue.invalidate("tools");
    tools = await catalogue.tools(caller);
  }
  let shown = listed.filter(
    (tool) =>
      tools.isListed(`${tool?.name}`, caller) &&
      // The list was read after the catalogue and may already differ from it.
      !tools.isHeld(tool) &&
      mayUse(access, exchange, { action: "call", tool }),
  );
  const isWithoutViews = server.settings.views === "deny";
  if (shown.length === listed.length && !isWithoutViews) return { message };
  // A reference to a View that can't be read would show a blank View (GW-09).
  if (isWithoutViews) shown = shown.map(withoutView);
  return { message: { ...(message as JsonRpcResult), result: { ...found, tools: shown } } };
}

/** The lists that policies filter, and whether an item of them is shown. */
const FILTERS = {
  resources: (access, exchange, { uri }) => mayRead(access, exchange, `${uri}`),
  resourceTemplates: async (access, exchange, { uriTemplate }) =>
    maySeeTemplate(access, exchange, `${uriTemplate}`),
  prompts: async (access, exchange, { name }) =>
    mayUse(access, exchange, { action: "prompt", prompt: `${name}` }),
} as const satisfies Record<
  string,
  (access: Access, exchange: Exchange, item: Record<string, unknown>) => Promise<boolean>
>;

/** Removes the items that the policies don't permit. */
async function listOthers(
  exchange: Exchange,
  list: keyof typeof FILTERS,
  access: Access,
): Promise<Refusal | Answer> {
  const { message } = await askServer(exchange);
  const found = "result" in message ? (message.result as Record<string, unknown>) : {};
  const listed = found[list];
  if (!Array.isArray(listed)) return { message };
  const shown: unknown[] = [];
  for (const item of listed) {
    if (await FILTERS[list](access, exchange, Object(item))) shown.push(item);
  }
  if (shown.length === listed.length) return { message };
  return { message: { ...(message as JsonRpcResult), result: { ...found, [list]: shown } } };
}
