// Finds the one server that a request to the combined endpoint is for, from the name or the address in it.

import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { Exchange } from "../exchange.ts";
import type { PolicyCheck } from "../pipeline.ts";
import { parseUri } from "./addresses.ts";
import { parseName } from "./combined-names.ts";
import { type CombinedLists, LISTS } from "./lists.ts";
import type { Part, Parts } from "./parts.ts";

/** The routes of requests, by exchange. */
export type Routes = WeakMap<Exchange, Part>;

/** Requests that the combined endpoint answers itself. */
const OWN: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "server/discover",
  "subscriptions/listen",
  ...LISTS.keys(),
]);
const NOTIFICATION = /^notifications\//;

/** Whether a request goes to one server, whose pipeline records it. */
export function isRouted(method: string | undefined): boolean {
  return method !== undefined && !OWN.has(method) && !NOTIFICATION.test(method);
}

/** Determines the server of a request, as a check: a name without a server is refused like an unknown tool. */
export function routeCheck(routes: Routes, parts: Parts, lists: CombinedLists): PolicyCheck {
  /** The part for something with a name: a tool or a prompt. */
  const byName = async (
    exchange: Exchange,
    given: unknown,
    list: "tools/list" | "prompts/list",
  ): Promise<{ server: Part["server"]; name: string } | Refusal> => {
    const parsed = typeof given === "string" ? parseName(given) : undefined;
    const server = parsed && parts.find(parsed.prefix, exchange.caller);
    if (!parsed || !server) return unknownName(given, list);
    const shortened = { server, method: list, name: `${given}` };
    const name = parsed.name ?? (await lists.sourceOf(exchange, shortened));
    return name === undefined ? unknownName(given, list) : { server, name };
  };
  const byUri = (
    exchange: Exchange,
    given: unknown,
  ): { server: Part["server"]; uri: string } | Refusal => {
    const parsed = typeof given === "string" ? parseUri(given) : undefined;
    const server = parsed && parts.find(parsed.prefix, exchange.caller);
    if (parsed && server) return { server, uri: parsed.uri };
    return refuse("foreign-resource", "There is no such resource. See resources/list.");
  };
  type Find = (exchange: Exchange, params: Record<string, unknown>) => Promise<Part | Refusal>;
  const finders = new Map<string, Find>([
    [
      "tools/call",
      async (exchange, { name }) => partOf(await byName(exchange, name, "tools/list")),
    ],
    [
      "prompts/get",
      async (exchange, { name }) => partOf(await byName(exchange, name, "prompts/list")),
    ],
    ["resources/read", async (exchange, { uri }) => partOf(byUri(exchange, uri))],
    [
      "completion/complete",
      async (exchange, params) => {
        const ref = Object(params.ref) as Record<string, unknown>;
        const isPrompt = ref.uri === undefined;
        const found = isPrompt
          ? await byName(exchange, ref.name, "prompts/list")
          : byUri(exchange, ref.uri);
        if ("code" in found) return found;
        const { server, ...target } = found;
        return { server, params: { ref: { ...ref, ...target } } };
      },
    ],
  ]);
  return {
    name: "route",
    run: async (exchange) => {
      const { method, params = {} } = exchange.frame;
      if (!isRouted(method)) return undefined;
      const found = (await finders.get(method)?.(exchange, params)) ?? unknownMethod(method);
      if ("code" in found) return found;
      routes.set(exchange, found);
      return undefined;
    },
  };
}

/** The part for what was found: all that changes is its name or address. */
function partOf(
  found: ({ server: Part["server"] } & Record<string, unknown>) | Refusal,
): Part | Refusal {
  if (isRefusal(found)) return found;
  const { server, ...params } = found;
  return { server, params };
}

function isRefusal(found: object): found is Refusal {
  return "code" in found;
}

function unknownMethod(method: string): Refusal {
  const shown = JSON.stringify(method.slice(0, 64));
  const message = `${shown} isn't a method of the combined endpoint. Use the address of one server.`;
  return refuse("unknown-method", message);
}

function unknownName(given: unknown, list: "tools/list" | "prompts/list"): Refusal {
  const kind = list === "tools/list" ? "tool" : "prompt";
  const shown = JSON.stringify(`${given}`.slice(0, 64).toWellFormed());
  return refuse("unknown-tool", `There is no ${kind} ${shown}. See ${list}.`);
}
