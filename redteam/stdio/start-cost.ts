// What a start costs: from spawning a server to its first answer, with and without the runner in turns.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessageText } from "../../packages/gateway/src/json-rpc/serialize.ts";
import { ChildWire, type Command } from "../../packages/gateway/src/upstreams/stdio/child-wire.ts";
import { createBubblewrapRunner } from "../../packages/gateway/src/upstreams/stdio/runners/bubblewrap.ts";
import { ISOLATION } from "../../packages/gateway/src/upstreams/stdio/runners/runner.ts";
import { publicNode } from "./stage.ts";

const HOSTILE = fileURLToPath(new URL("./hostile-server.mjs", import.meta.url));
const TURNS = 15;

/** Measures and prints the medians. */
export async function printStartCost(): Promise<void> {
  const folder = mkdtempSync("/var/tmp/vitrine-start-cost-");
  const runner = createBubblewrapRunner({ node: publicNode() });
  const script = join(folder, "server.mjs");
  await cp(HOSTILE, script);
  const command: Command = {
    argv: [publicNode(), script, "none", "{}"],
    env: { PATH: "/usr/bin:/bin" },
    cwd: folder,
  };
  const isolation = { ...ISOLATION };
  const online = { ...ISOLATION, network: ["example.com:443"] };
  const forms: [string, () => Promise<Command>][] = [
    ["none", async () => command],
    ["bubblewrap", () => runner.wrap(command, isolation)],
    ["bubblewrap with a network list", () => runner.wrap(command, online)],
  ];
  const times = new Map(forms.map(([name]) => [name, [] as number[]]));
  chmodSync(folder, 0o755);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [name, prepare] of forms) times.get(name)?.push(await timeOf(prepare));
  }
  await runner.close();
  rmSync(folder, { recursive: true });
  const medians = [...times].map(([name, all]) => {
    const sorted = all.sort((a, b) => a - b);
    return `${name} ${Math.round(sorted[Math.floor(TURNS / 2)] ?? 0)} ms`;
  });
  console.log(`start to first answer, medians of ${TURNS} in turns: ${medians.join(", ")}`);
}

async function timeOf(prepare: () => Promise<Command>): Promise<number> {
  const from = performance.now();
  const wire = new ChildWire(await prepare());
  await new Promise<void>((resolve, reject) => {
    wire.onmessage = () => resolve();
    wire.onlost = reject;
    void wire.send('{"jsonrpc":"2.0","id":1,"method":"ping"}' as MessageText);
  });
  const time = performance.now() - from;
  wire.onlost = () => {};
  await wire.kill();
  return time;
}
