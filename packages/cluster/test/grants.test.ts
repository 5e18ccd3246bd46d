// Grants in two processes: a revocation in one applies in the other, and a process that can't receive it stops.

import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";
import { expect, test } from "vitest";
import { hashOf } from "../../gateway/src/crypto/stable-hash.ts";
import type { Exchange } from "../../gateway/src/policy/exchange.ts";
import { createGrants, type Grant, type Grants } from "../../gateway/src/policy/grants.ts";
import type { ToolDefinition } from "../../gateway/src/policy/tool-definition.ts";
import { toolHashOf } from "../../gateway/src/policy/tool-definition.ts";
import { until } from "../../gateway/test/upstreams/calls.ts";
import { type CutEngine, cutEngine } from "./cut-engine.ts";

const ANN = { tenant: "acme", user: "ann" };
const TOOL: ToolDefinition = { name: "pay" };
const ALWAYS: Grant = { server: "bank", tool: "pay", scope: "always", toolHash: toolHashOf(TOOL) };
const ONCE: Grant = { ...ALWAYS, scope: "once", argumentsHash: hashOf({ amount: 5 }) };

const exchange = {
  caller: { ...ANN, party: "view" },
  server: { id: "bank" },
  tool: TOOL,
  frame: { method: "tools/call", params: { arguments: { amount: 5 } } },
} as unknown as Exchange;

function open(): { here: Grants; there: Grants; ways: [CutEngine, CutEngine]; silence: number[] } {
  const engine = createSharedMemoryEngine();
  const ways: [CutEngine, CutEngine] = [cutEngine(engine), cutEngine(engine)];
  const silence = [0, 0];
  const [here, there] = ways.map((way, place) =>
    createGrants(way, { silence: () => silence[place] as number }),
  ) as [Grants, Grants];
  return { here, there, ways, silence };
}

test("a grant that is revoked in one process is denied in the other within a second", async () => {
  const { here, there } = open();
  await here.give(ANN, ALWAYS);
  await until(() => there.spend(exchange));
  await here.revoke(ANN, ALWAYS);
  const before = performance.now();
  await until(async () => !(await there.spend(exchange)));
  expect(performance.now() - before).toBeLessThan(1000);
});

test("a grant for one call is used once, even if several processes try at the same time", async () => {
  const { here, there } = open();
  for (let round = 0; round < 20; round++) {
    await here.give(ANN, ONCE);
    const tried = Array.from({ length: 10 }, (_, place) =>
      (place % 2 ? here : there).spend(exchange),
    );
    expect((await Promise.all(tried)).filter(Boolean)).toEqual([true]);
  }
});

test("a cached grant is valid for a minute without the engine, and no longer", async () => {
  const { here, there, ways, silence } = open();
  await here.give(ANN, ALWAYS);
  await until(() => there.spend(exchange));
  ways[1].cut();
  silence[1] = 59_000;
  expect(await there.spend(exchange)).toBe(true);
  silence[1] = 60_001;
  expect(await there.spend(exchange)).toBe(false);
  silence[1] = 0;
  expect(await there.spend(exchange)).toBe(true);
});

test("a grant for one call can't be used without the engine: the call is denied, not failed", async () => {
  const { here, there, ways } = open();
  // A process that hasn't received any grant yet would wait; this one has.
  expect(await there.spend(exchange)).toBe(false);
  await here.give(ANN, ONCE);
  ways[1].cut();
  expect(await there.spend(exchange)).toBe(false);
  expect(await here.spend(exchange)).toBe(true);
});

test("a revocation right after a grant wins, also in the process that granted", async () => {
  const { here, there } = open();
  for (let round = 0; round < 50; round++) {
    await Promise.all([here.give(ANN, ALWAYS), there.revoke(ANN, ALWAYS)]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const kept = (await here.list(ANN)).length > 0;
    expect([await here.spend(exchange), await there.spend(exchange)]).toEqual([kept, kept]);
    await here.revoke(ANN, ALWAYS);
    await until(async () => !(await there.spend(exchange)) && !(await here.spend(exchange)));
  }
});

test("a grant that couldn't be stored isn't valid", async () => {
  const { here, ways } = open();
  ways[0].cut();
  await expect(here.give(ANN, ALWAYS)).rejects.toMatchObject({ code: "unavailable" });
  ways[0].heal();
  expect(await here.spend(exchange)).toBe(false);
});
