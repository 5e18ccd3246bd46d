import { refuse } from "../../errors/refusal.ts";
import type { PolicyCheck } from "../pipeline.ts";

/**
 * A tool that the caller can't see doesn't exist for it: a tool is callable exactly if it is listed, for
 * every caller and carrier. A View always calls the server it is bound to, whatever server it names (GW-06).
 */
export const visibilityCheck: PolicyCheck = {
  name: "visibility",
  run: async (exchange) => {
    const { frame, server, caller } = exchange;
    if (frame.method !== "tools/call") return undefined;
    const { name } = frame.params ?? {};
    if (typeof name !== "string") return refuse("malformed", "params.name must be a string.");
    const tools = await server.catalogue.tools(caller);
    const found = tools.callable(name, caller);
    if ("refusal" in found) return found.refusal;
    exchange.tool = found.tool;
    return undefined;
  },
};
