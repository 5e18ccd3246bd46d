import { Counter, Histogram, type Registry } from "prom-client";
import type { Exchange } from "../policy/exchange.ts";

const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30];
/** Tools of a server, and of all servers, that get a label. The others count as "other". */
const TOOLS_OF_SERVER = 100;
const TOOLS = 1_000;

/** Metrics of calls, by tool. */
export interface ToolMetrics {
  /** Counts a call. Without a duration, it didn't reach the server. */
  called(exchange: Exchange, outcome: string, seconds?: number): void;
}

/**
 * Creates the metrics. A tool is named only if its server has it, and only as many as are listed above: the
 * names come from callers and servers.
 */
export function createToolMetrics(registers: Registry[]): ToolMetrics {
  const labelNames = ["server", "tool"];
  const calls = new Counter({
    name: "vitrine_tool_calls_total",
    help: "Tool calls by server, tool, caller and outcome: result, error, or the reason of the refusal.",
    labelNames: [...labelNames, "party", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "vitrine_tool_call_duration_seconds",
    help: "Time from request to response of tool calls that reached a server.",
    labelNames,
    buckets: SECONDS,
    registers,
  });
  const known = new Map<string, Set<string>>();
  let total = 0;
  const labelOf = ({ server, tool }: Exchange): string => {
    if (!tool) return "unknown";
    const own = known.get(server.id) ?? new Set();
    known.set(server.id, own);
    if (own.has(tool.name)) return tool.name;
    if (own.size >= TOOLS_OF_SERVER || total >= TOOLS) return "other";
    own.add(tool.name);
    total += 1;
    return tool.name;
  };
  return {
    called: (exchange, outcome, seconds) => {
      if (exchange.frame?.method !== "tools/call") return;
      const labels = { server: exchange.server.id, tool: labelOf(exchange) };
      calls.inc({ ...labels, party: exchange.caller.party, outcome });
      if (seconds !== undefined) durations.observe(labels, seconds);
    },
  };
}
