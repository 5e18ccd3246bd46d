import type { Tools } from "../../catalogue.ts";
import type { Exchange } from "../exchange.ts";
import type { Link } from "../pipeline.ts";
import { type Refusal, refuse } from "../refusal.ts";

/**
 * A tool that the caller cannot see does not exist for it: listed is callable and callable is listed,
 * for every caller on every carrier. A View's server is the one it is bound to, whatever it names (GW-06).
 */
export const visibilityLink: Link = {
  name: "visibility",
  run: (exchange) => {
    const { frame, server, caller } = exchange;
    if (frame.method !== "tools/call") return undefined;
    const { name } = frame.params ?? {};
    if (typeof name !== "string") return refuse("malformed", "params.name must be a string.");
    const known = server.catalogue.known(caller);
    if (known) return find(exchange, known, name);
    return server.catalogue.tools(caller).then((tools) => find(exchange, tools, name));
  },
};

function find(exchange: Exchange, tools: Tools, name: string): Refusal | undefined {
  const found = tools.callable(name, exchange.caller);
  if ("refusal" in found) return found.refusal;
  exchange.tool = found.tool;
  return undefined;
}
