import { expect, test } from "vitest";
import { hashOf } from "../../src/crypto/stable-hash.ts";
import { createMemoryEngine } from "../../src/engine/index.ts";
import type { Exchange } from "../../src/policy/exchange.ts";
import { createGrants, type Grant } from "../../src/policy/grants.ts";
import type { ToolDefinition } from "../../src/policy/tool-definition.ts";
import { toolHashOf } from "../../src/policy/tool-definition.ts";

const ANN = { tenant: "acme", user: "ann" };
const TOOLS: ToolDefinition[] = [{ name: "pay" }, { name: "read" }];

const grantOf = (tool: ToolDefinition, amount: number): Grant => ({
  ...{ server: "bank", tool: tool.name, scope: "once", toolHash: toolHashOf(tool) },
  argumentsHash: hashOf({ amount }),
});
const exchangeOf = (tool: ToolDefinition, amount: number): Exchange =>
  ({
    caller: { ...ANN, party: "view" },
    server: { id: "bank" },
    tool,
    frame: { method: "tools/call", params: { arguments: { amount } } },
  }) as unknown as Exchange;

test("S30: taking a permission back ends one-time grants that aren't used yet, in every process", async () => {
  const [pay, read] = TOOLS as [ToolDefinition, ToolDefinition];
  const engine = createMemoryEngine();
  const [here, there] = [createGrants(engine), createGrants(engine)];
  for (const amount of [1, 2, 3]) await here.give(ANN, grantOf(pay, amount));
  await here.give(ANN, grantOf(read, 1));
  expect(await there.spend(exchangeOf(pay, 3))).toBe(true);
  await here.revoke(ANN, { server: "bank", tool: "pay" });
  expect(await here.spend(exchangeOf(pay, 1))).toBe(false);
  expect(await there.spend(exchangeOf(pay, 2))).toBe(false);
  // Another tool's is another permission.
  expect(await here.spend(exchangeOf(read, 1))).toBe(true);
  await engine.close();
});
