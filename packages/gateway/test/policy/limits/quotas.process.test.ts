// Quotas of tenants, groups, users and tools, and limits that name themselves (O1, O16).

import { afterEach, expect, it } from "vitest";
import { createMemoryEngine } from "../../../src/engine/index.ts";
import type { Authenticate } from "../../../src/identity/user-token.ts";
import { CallWindows } from "../../../src/policy/call-windows.ts";
import type { Quota } from "../../../src/policy/quotas.ts";
import { type Answer, type GatewayStage, openStage, type StageOptions } from "../../stage.ts";
import { authorizerOf } from "../authorization/policies.ts";

const stages: GatewayStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage[Symbol.asyncDispose]();
});

/** The token is `tenant/user/group`. */
const authenticate: Authenticate = async (token) => {
  const [tenant = "", user = "", group] = token.split("/");
  return { tenant, user, ...(group && { groups: [group] }) };
};

async function open(quotas: Quota[], more: StageOptions = {}): Promise<GatewayStage> {
  const stage = await openStage({ authenticate, limits: { quotas }, ...more });
  stages.push(stage);
  return stage;
}

const call = ({ post }: GatewayStage, token: string): Promise<Answer> =>
  post("tools/call", { name: "forecast", arguments: { city: "Graz" } }, { token });
const outcomes = async (stage: GatewayStage, ...tokens: string[]): Promise<string> => {
  const letters = [];
  for (const token of tokens) letters.push((await call(stage, token)).body.result ? "y" : "n");
  return letters.join("");
};

it("counts each user on its own, and names the quota and the time to wait", async () => {
  const stage = await open([{ name: "two a day", user: "*", perDay: 2 }]);
  expect(await outcomes(stage, "acme/ann", "acme/ann", "acme/ann", "acme/bob")).toBe("yyny");
  // The same name in another tenant is another user.
  expect(await outcomes(stage, "globex/ann")).toBe("y");
  const { status, headers, body } = await call(stage, "acme/ann");
  expect(status).toBe(429);
  const wait = Number(headers.get("retry-after"));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(86_400);
  expect(body.error.message).toMatch(/^The quota "two a day" allows 2 calls a day. Try again in/);
  expect(body.error.data).toEqual({ limit: "two a day.perDay", reason: "rate" });
});

it("applies every quota that matches, and counts a call in all of them or in none", async () => {
  const stage = await open([
    { name: "acme", tenant: "acme", perDay: 3 },
    { name: "interns", group: "acme/interns", perMinute: 1 },
    { name: "other tools", server: "station", tool: "alerts", perDay: 1 },
  ]);
  expect(await outcomes(stage, "acme/ann/interns", "acme/bob/interns")).toBe("yn");
  // The rejected call didn't count for the tenant.
  expect(await outcomes(stage, "acme/eve", "acme/eve", "acme/eve", "globex/ann")).toBe("yyny");
});

it("limits concurrent calls", async () => {
  const stage = await open([{ name: "one", tenant: "*", atOnce: 1 }]);
  const all = await Promise.all(Array.from({ length: 8 }, () => call(stage, "acme/ann")));
  const refused = all.filter(({ body }) => body.error?.data.limit === "one.atOnce");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(8);
  expect(await outcomes(stage, "acme/ann", "acme/ann")).toBe("yy");
});

it("doesn't count calls that a policy denies", async () => {
  const authorizer = await authorizerOf(
    `permit(principal == Vitrine::User::"acme/ann", action, resource);`,
  );
  const stage = await open([{ name: "acme", tenant: "acme", perDay: 1 }], {
    access: { authorizer, mode: "enforce" },
  });
  expect(await outcomes(stage, "acme/eve", "acme/eve", "acme/ann", "acme/ann")).toBe("nnyn");
});

it("never allows more than the limit in several gateways together, nor after a restart", async () => {
  const engine = createMemoryEngine();
  const at = Date.now();
  const open = (): CallWindows => new CallWindows(engine, { now: () => at });
  const gateways = [open(), open(), open()];
  const take = async (one: CallWindows): Promise<number> =>
    Number(typeof (await one.take("key", 1000, "day")) === "function");
  const sum = async (calls: Promise<number>[]): Promise<number> =>
    (await Promise.all(calls)).reduce((a, b) => a + b, 0);
  const half = await sum(Array.from({ length: 500 }, (_, n) => take(gateways[n % 3] as never)));
  expect(half).toBe(500);
  // One is killed with what it reserved, the others return it.
  for (const one of gateways.slice(1)) await one.close();
  const after = [open(), open()];
  const rest = await sum(Array.from({ length: 2000 }, (_, n) => take(after[n % 2] as never)));
  expect(half + rest).toBeLessThanOrEqual(1000);
  expect(half + rest).toBeGreaterThan(1000 - 1000 / 32);
  await engine.close();
});

it("names the limit of requests that come too fast", async () => {
  const rates = { viewPerMinute: 6, userPerMinute: 1200, serverPerMinute: 6, userAtOnce: 64 };
  const stage = await open([], { limits: { rates } });
  await call(stage, "acme/ann");
  const { status, headers, body } = await call(stage, "acme/ann");
  expect([status, body.error.data.limit]).toEqual([429, "serverPerMinute"]);
  expect(body.error.message).toContain("may send 6 requests a minute (serverPerMinute)");
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(5);
});
