import type { Upstream } from "@vitrine/host";
import type { CallToolResult } from "@vitrine/protocol/apps";
import type { Scenario } from "@vitrine/testing";

/**
 * The server, with a scenario's answers to calls of tools. Calls that the scenario doesn't answer go to
 * the server.
 */
export function scriptedUpstream(
  upstream: Upstream,
  scenario: () => Scenario | undefined,
): Upstream {
  /** How many calls each tool had, by scenario. */
  const calls = new WeakMap<Scenario, Map<string, number>>();
  const answer = (tool: string): CallToolResult | undefined => {
    const current = scenario();
    const { tools } = current ?? {};
    if (!current || !tools || !Object.hasOwn(tools, tool)) return undefined;
    const answers = [tools[tool] ?? []].flat();
    const counts = calls.get(current) ?? new Map<string, number>();
    calls.set(current, counts);
    const count = counts.get(tool) ?? 0;
    counts.set(tool, count + 1);
    return answers[Math.min(count, answers.length - 1)];
  };
  return {
    get server() {
      return upstream.server;
    },
    get capabilities() {
      return upstream.capabilities;
    },
    request: async (method, params, options) => {
      const name = method === "tools/call" ? (params as { name: string }).name : undefined;
      const scripted = name === undefined ? undefined : answer(name);
      return (scripted as never) ?? upstream.request(method, params, options);
    },
    onListChanged: (listener) => upstream.onListChanged(listener),
  };
}
