import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayStage, openStage, TOKEN } from "../stage.ts";

let stage: GatewayStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const list = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${stage.url}/servers`, { headers });

test("lists the servers for the user of a token", async () => {
  const answer = await list({ authorization: `Bearer ${TOKEN}` });
  expect(answer.status).toBe(200);
  const { user, tenant, servers } = (await answer.json()) as Record<string, unknown>;
  expect(typeof user).toBe("string");
  expect(typeof tenant).toBe("string");
  expect(servers).toEqual([{ id: "station" }]);
});

test("rejects a request without a token, with a wrong one, of a view or of a foreign page", async () => {
  const authorization = `Bearer ${TOKEN}`;
  const { ticket } = await stage.open(STATION_VIEW);
  expect((await list({})).status).toBe(401);
  expect((await list({ authorization: "Bearer wrong" })).status).toBe(401);
  expect((await list({ "vitrine-view": ticket })).status).toBe(401);
  expect((await list({ authorization, "vitrine-view": ticket })).status).toBe(401);
  expect((await list({ authorization, origin: "https://evil.example" })).status).toBe(403);
});

const refuse = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${stage.url}/servers/station/refusals`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${TOKEN}`,
      ...headers,
    },
    body: JSON.stringify(body),
  });

test("records a call that the user's page declined, and nothing else", async () => {
  const before = stage.refusals.length;
  expect((await refuse({ tool: "forecast" })).status).toBe(204);
  expect(stage.refusals.slice(before)).toEqual(["host consent-required"]);
  const { ticket } = await stage.open(STATION_VIEW);
  expect((await refuse({ tool: 7 })).status).toBe(400);
  expect((await refuse({ tool: "x".repeat(300) })).status).toBe(400);
  expect((await refuse({ tool: "forecast" }, { "vitrine-view": ticket })).status).toBe(401);
  expect(stage.refusals.slice(before)).toEqual(["host consent-required"]);
});
