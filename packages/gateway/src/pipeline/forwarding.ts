// The end of the pipeline: what the gateway answers itself, and what goes to the server.

import type { JsonRpcResult } from "@vitrine/protocol";
import type { RequestMessage } from "../json-rpc/message.ts";
import type { UiResources } from "../resources/ui-resources.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { LEGACY_VERSION, MODERN_VERSION, SERVER_INFO_KEY } from "../upstreams/frames/envelope.ts";
import {
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamScope,
} from "../upstreams/upstream.ts";
import type { Caller, Exchange } from "./exchange.ts";
import type { Answer, Forwarder } from "./pipeline.ts";
import { type Refusal, type RefusalCode, refuse } from "./refusal.ts";

const NO_HEADERS = {};

/** What forwarding needs. */
export interface ForwardingOptions {
  resources: UiResources;
  subscriptions: Subscriptions;
}

// What went wrong on the way to a server, in the words that a caller may hear.
const WORDS: Record<UpstreamErrorCode, [RefusalCode, string]> = {
  unreachable: ["unavailable", "The server cannot be reached; try again later."],
  timeout: ["timeout", "The server did not answer in time."],
  aborted: ["aborted", "The request was cancelled."],
  "too-large": ["unavailable", "The server's answer is too large."],
  malformed: ["unavailable", "The server's answer cannot be read."],
  crashed: ["unavailable", "The server has ended; it is started again."],
  unauthorized: ["connect-required", "The server wants a log-in of yours; connect it first."],
  "breaker-open": ["unavailable", "The server has failed several times; it is tried again soon."],
  "outcome-unknown": [
    "outcome-unknown",
    "The server was lost during the call: it may have been made.",
  ],
  busy: ["busy", "The server has too much to do; try again later."],
  "refused-address": ["unavailable", "The server's address is not one that may be called."],
  closed: ["draining", "The gateway is being closed."],
};

/** Makes the forwarder. */
export function createForwarder({ resources, subscriptions }: ForwardingOptions): Forwarder {
  const own = new Map<string, (exchange: Exchange) => Promise<Refusal | Answer>>([
    // Hosts ask it of servers that no longer know it.
    ["ping", async (exchange) => result(exchange, {})],
    // There is no session that could remember it; each older request is answered with what is logged.
    ["logging/setLevel", async (exchange) => result(exchange, {})],
    ["initialize", greet],
    ["tools/list", listTools],
    ["resources/read", (exchange) => resources.read(exchange)],
    ["subscriptions/listen", (exchange) => subscriptions.serve(exchange)],
  ]);
  return {
    forward: (exchange) => {
      const { method, id } = exchange.frame;
      if (id === undefined) return passNotification(exchange);
      return (own.get(method) ?? ask)(exchange);
    },
    explain: ({ server }, error) => {
      if (!(error instanceof UpstreamError)) throw error;
      const [code, message] = WORDS[error.code];
      return refuse(code, message, { data: { server: server.id } });
    },
  };
}

async function passNotification(exchange: Exchange): Promise<Answer> {
  const { frame, server, caller } = exchange;
  // What belongs to a handshake or a session ends here, and so does a View's log.
  const isForServer = caller.party === "model" && !/\/initialized$/.test(frame.method);
  if (isForServer) await server.upstream.notify(frame, scopeOf(exchange));
  return { message: undefined };
}

/** Sends the request that was checked. */
export function ask(exchange: Exchange): Promise<UpstreamAnswer> {
  const { frame, server, signal, tool, notify } = exchange;
  return server.upstream.send({
    message: frame as RequestMessage,
    signal,
    deadline: server.settings.deadline,
    scope: scopeOf(exchange),
    inputSchema: tool?.inputSchema,
    paramHeaders: exchange.carrier === "http" ? paramHeadersOf(exchange) : NO_HEADERS,
    onNotification: notify,
  });
}

/** Arguments that a client repeated as headers: whoever stands between must pass them on. */
function paramHeadersOf({ headers }: Exchange): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (name.startsWith("mcp-param-") && typeof value === "string") found[name] = value;
  }
  return found;
}

/** A result of the gateway's own. */
export function result({ frame }: Exchange, value: object): Answer {
  return { message: { jsonrpc: "2.0", id: frame.id as string | number, result: value } };
}

// By identity: a caller lives as long as its connection. What is made of its scope further on is found again.
const scopes = new WeakMap<Caller, UpstreamScope>();

function scopeOf({ caller }: Exchange): UpstreamScope {
  let scope = scopes.get(caller);
  if (!scope) {
    const { tenant, user } = caller;
    scope = { tenant, user };
    scopes.set(caller, scope);
  }
  return scope;
}

/** The handshake of the older protocol, without a session (each later request stands alone). */
async function greet(exchange: Exchange): Promise<Refusal | Answer> {
  const { server, frame } = exchange;
  const found = await server.upstream.discover(scopeOf(exchange));
  const { instructions } = found;
  // Updates would need a session to come over.
  const { subscribe: _none, ...resources } = Object(found.capabilities.resources);
  const capabilities = {
    ...found.capabilities,
    ...(found.capabilities.resources !== undefined && { resources }),
  };
  const serverInfo = found._meta?.[SERVER_INFO_KEY];
  const asked = frame.params?.protocolVersion;
  return result(exchange, {
    protocolVersion: typeof asked === "string" && asked !== MODERN_VERSION ? asked : LEGACY_VERSION,
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

/** A page of the tools, without those that the caller may not call. Untouched where there are none. */
async function listTools(exchange: Exchange): Promise<Refusal | Answer> {
  const { server, caller } = exchange;
  const { catalogue } = server;
  let [{ message }, tools] = await Promise.all([ask(exchange), catalogue.tools(caller)]);
  const found =
    "result" in message ? (message.result as { tools?: { name: string; _meta?: unknown }[] }) : {};
  const listed = found.tools;
  if (!Array.isArray(listed)) return { message };
  // The server has more than it had, and while nobody listens to it, it cannot say so.
  if (tools.isWhole && !listed.every((tool) => tools.knows(`${tool?.name}`))) {
    catalogue.invalidate("tools");
    tools = await catalogue.tools(caller);
  }
  let shown = listed.filter((tool) => tools.isListed(`${tool?.name}`, caller));
  const isWithoutViews = server.settings.views === "deny";
  if (shown.length === listed.length && !isWithoutViews) return { message };
  // A reference to what may not be read would be a View that stays blank (GW-09).
  if (isWithoutViews) shown = shown.map(withoutView);
  return { message: { ...(message as JsonRpcResult), result: { ...found, tools: shown } } };
}
