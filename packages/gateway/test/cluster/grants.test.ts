// Grants in two processes: what is taken back in one is gone in the other, and who cannot hear of it stops.

import { expect, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/index.ts";
import { createGrants, type Grant, type Grants } from "../../src/grants.ts";
import type { Exchange, ToolDefinition } from "../../src/pipeline/exchange.ts";
import { hashOf, toolHashOf } from "../../src/stable-hash.ts";
import { until } from "../upstreams/calls.ts";
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
  const engine = createMemoryEngine();
  const ways: [CutEngine, CutEngine] = [cutEngine(engine), cutEngine(engine)];
  const silence = [0, 0];
  const [here, there] = ways.map((way, place) =>
    createGrants(way, { silence: () => silence[place] as number }),
  ) as [Grants, Grants];
  return { here, there, ways, silence };
}

test("what is taken back in one process is denied in the other within a second", async () => {
  const { here, there } = open();
  await here.give(ANN, ALWAYS);
  await until(() => there.spend(exchange));
  await here.revoke(ANN, ALWAYS);
  const before = performance.now();
  await until(async () => !(await there.spend(exchange)));
  expect(performance.now() - before).toBeLessThan(1000);
});

test("a grant for one call is spent once, however many processes try at the same time", async () => {
  const { here, there } = open();
  for (let round = 0; round < 20; round++) {
    await here.give(ANN, ONCE);
    const tried = Array.from({ length: 10 }, (_, place) =>
      (place % 2 ? here : there).spend(exchange),
    );
    expect((await Promise.all(tried)).filter(Boolean)).toEqual([true]);
  }
});

test("what is known to be allowed holds for a minute without the engine, and no longer", async () => {
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

test("a grant for one call cannot be spent without the engine: it is denied, not failed", async () => {
  const { here, there, ways } = open();
  // A process that has not heard of any grant yet waits; this one has.
  expect(await there.spend(exchange)).toBe(false);
  await here.give(ANN, ONCE);
  ways[1].cut();
  expect(await there.spend(exchange)).toBe(false);
  expect(await here.spend(exchange)).toBe(true);
});

test("a revocation right behind a grant wins, also where it was given", async () => {
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

test("a grant that could not be written is none", async () => {
  const { here, ways } = open();
  ways[0].cut();
  await expect(here.give(ANN, ALWAYS)).rejects.toMatchObject({ code: "unavailable" });
  ways[0].heal();
  expect(await here.spend(exchange)).toBe(false);
});
