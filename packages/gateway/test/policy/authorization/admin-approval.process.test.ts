// Calls that an administrator has to approve, each exactly as it was requested (O1).

import { afterEach, expect, it } from "vitest";
import { createMemoryEngine } from "../../../src/engine/index.ts";
import type { Authenticate } from "../../../src/identity/user-token.ts";
import { type Answer, type GatewayStage, openStage } from "../../stage.ts";
import { authorizerOf } from "./policies.ts";

const stages: GatewayStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage[Symbol.asyncDispose]();
});

/** The token is the user's name. */
const authenticate: Authenticate = async (user) => ({ tenant: "acme", user });
const POLICY = `@id("forecasts") @approve("admin") permit(principal, action, resource);`;

async function open(engine = createMemoryEngine()): Promise<GatewayStage> {
  const access = { authorizer: await authorizerOf(POLICY), mode: "enforce" } as const;
  const stage = await openStage({ engine, authenticate, access });
  stages.push(stage);
  return stage;
}

const forecast = ({ post }: GatewayStage, city: string, token = "ann"): Promise<Answer> =>
  post("tools/call", { name: "forecast", arguments: { city } }, { token });
const reasonOf = ({ body }: Answer): string | undefined => body.error?.data.reason;

it("makes a call once after an administrator approved it at another gateway", async () => {
  const engine = createMemoryEngine();
  const here = await open(engine);
  const there = await open(engine);
  const refused = await forecast(here, "Graz");
  expect(refused.body.error.message).toContain("An administrator has to approve this call.");
  expect(refused.body.error.data).toMatchObject({
    ...{ reason: "approval-required", approval: "admin", state: "pending" },
  });
  // The same call doesn't wait twice.
  await forecast(here, "Graz");
  const [waiting, ...others] = await there.gateway.approvals.list();
  expect(others).toEqual([]);
  expect(waiting).toMatchObject({
    ...{ tenant: "acme", user: "ann", server: "station", tool: "forecast", party: "model" },
    ...{ preview: '{"city":"Graz"}', policies: ["forecasts"] },
  });
  const id = `${waiting?.id}`;
  expect(id).toBe(refused.body.error.data.id);
  expect(await there.gateway.approvals.approve(id, { by: "root" })).toMatchObject({ by: "root" });
  // Neither other arguments nor another user can use it.
  expect(reasonOf(await forecast(here, "Linz"))).toBe("approval-required");
  expect(reasonOf(await forecast(here, "Graz", "bob"))).toBe("approval-required");
  const both = await Promise.all([forecast(here, "Graz"), forecast(there, "Graz")]);
  expect(both.map(reasonOf).sort()).toEqual(["approval-required", undefined]);
});

it("reports that an administrator rejected a call", async () => {
  const stage = await open();
  const { id } = (await forecast(stage, "Graz")).body.error.data;
  const { approvals } = stage.gateway;
  expect(await approvals.reject(id, { by: "root" })).toMatchObject({ state: "rejected" });
  expect(await approvals.approve(id, { by: "other" })).toBeUndefined();
  expect(await approvals.approve("no such id", { by: "root" })).toBeUndefined();
  expect((await forecast(stage, "Graz")).body.error.message).toContain("rejected this call");
  expect(await approvals.list()).toEqual([]);
});

it("bounds the calls of a user that wait, without hiding those of others", async () => {
  const stage = await open();
  for (let number = 0; number < 20; number++) await forecast(stage, `Graz ${number}`);
  expect(reasonOf(await forecast(stage, "Graz 21"))).toBe("busy");
  expect(reasonOf(await forecast(stage, "Graz", "bob"))).toBe("approval-required");
  expect(await stage.gateway.approvals.list()).toHaveLength(21);
});
