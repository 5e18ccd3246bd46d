// The page: the same calls over both chains, in turns, each timed from the call to its result.

import { openGatewayUpstream } from "@vitrine/host/gateway";

interface Task {
  rounds: number;
  calls: number;
  warmUp: number;
  ours: Record<string, string>;
  official: string;
  token: string;
}

type Call = (n: number) => Promise<unknown>;

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const paramsOf = (n: number) => ({ name: "echo", arguments: { city: "Graz", days: n % 7 } });

function check(result: unknown, n: number): void {
  const { structuredContent } = Object(result) as { structuredContent?: { days?: number } };
  if (structuredContent?.days !== n % 7)
    throw new Error(`Not the answer: ${JSON.stringify(result)}`);
}

async function overGateway(gateway: string, token: string): Promise<{ call: Call; ping: Call }> {
  const upstream = await openGatewayUpstream({
    gateway,
    server: "chain",
    resource: "ui://chain/view.html",
    token: () => token,
  });
  return {
    call: async (n) => check(await upstream.request("tools/call", paramsOf(n)), n),
    ping: () => upstream.request("ping" as never, {} as never),
  };
}

function overFetch(gateway: string): { call: Call; ping: Call } {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "echo",
  };
  return {
    call: async (n) => {
      const params = { ...paramsOf(n), _meta: META };
      const body = JSON.stringify({ jsonrpc: "2.0", id: n, method: "tools/call", params });
      const answer = await fetch(`${gateway}/mcp`, { method: "POST", headers, body });
      const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
      if (error) throw new Error(JSON.stringify(error));
      check(result, n);
    },
    ping: async () =>
      (await fetch(`${gateway}/bare`, { method: "POST", headers, body: "{}" })).json(),
  };
}

async function time(call: Call, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const began = performance.now();
    await call(n);
    times.push(performance.now() - began);
  }
  return times;
}

async function run(task: Task): Promise<Record<string, number[]>[]> {
  const variants: [string, Call, number][] = [];
  const add = (name: string, { call, ping }: { call: Call; ping: Call }): void => {
    variants.push([name, call, task.calls], [`${name} ping`, ping, Math.ceil(task.calls / 2)]);
  };
  for (const [name, gateway] of Object.entries(task.ours)) {
    add(name, await overGateway(gateway, task.token));
  }
  add("official", overFetch(task.official));
  const samples: Record<string, number[]>[] = [];
  // In turns from the beginning: one that had rested while others warmed up was slower for the rest of the run.
  for (let round = 0; round < task.warmUp + task.rounds; round++) {
    const sample: Record<string, number[]> = {};
    for (const [name, call, calls] of round % 2 ? variants.toReversed() : variants) {
      sample[name] = await time(call, calls);
    }
    samples.push(sample);
  }
  return samples.slice(task.warmUp);
}

const task = (await (await fetch("/task")).json()) as Task;
const outcome = await run(task).then(
  (samples) => ({ samples }),
  (error: unknown) => ({ error: `${error} ${(error as Error).stack}` }),
);
await fetch("/outcome", { method: "POST", body: JSON.stringify(outcome) });
