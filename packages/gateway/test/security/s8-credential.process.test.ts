// A page gets a credential for the sandbox from the gateway, which knows the user. What the page says of
// itself decides nothing.

import { createSandbox } from "@vitrine/sandbox";
import { expect, test } from "vitest";
import { type Json, ORIGIN, openStage, type StageOptions, TOKEN } from "../stage.ts";

const RESOURCE = "ui://station/view.html";
const sandbox = createSandbox({
  origins: {
    tier: "domain",
    domain: "https://usercontent.example",
    hosts: [ORIGIN],
    key: new Uint8Array(32).fill(9),
  },
});
const credentials = { entrance: `${sandbox.origins.proxy}/`, issue: sandbox.issueCredential };

async function open(options: StageOptions = { sandbox: credentials }) {
  const stage = await openStage(options);
  const ask = async (
    body: object,
    headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
  ): Promise<{ status: number; body: Json }> => {
    const answer = await fetch(`${stage.url}/servers/station/sandbox-credential`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return { ...stage, ask };
}

function claimsOf(credential: string): Json {
  return JSON.parse(Buffer.from(credential.split(".")[0] ?? "", "base64url").toString());
}

test("S8: the gateway issues a credential for its own user, whatever the page claims", async () => {
  await using stage = await open();
  const claim = { resource: RESOURCE, tenant: "acme", user: "alice", server: "bank" };
  const { status, body } = await stage.ask(claim, {
    authorization: `Bearer ${TOKEN}`,
    origin: ORIGIN,
  });
  expect(status).toBe(200);
  expect(body.entrance).toBe("https://proxy.usercontent.example/");
  expect(claimsOf(body.credential)).toMatchObject({
    tenant: "dev",
    user: "developer",
    server: "station",
    resource: RESOURCE,
    host: ORIGIN,
  });
});

test("S8: neither an unauthenticated client nor a view's ticket gets one", async () => {
  await using stage = await open();
  expect((await stage.ask({ resource: RESOURCE }, {})).status).toBe(401);
  const { ticket } = await stage.open("ui://station/forecast");
  const { status } = await stage.ask({ resource: RESOURCE }, { "vitrine-view": `${ticket}` });
  expect(status).toBe(401);
  for (const resource of [undefined, 5, `ui://${"x".repeat(3000)}`]) {
    expect((await stage.ask({ resource })).status).toBe(400);
  }
});

test("S8: a gateway without a sandbox reports that", async () => {
  await using stage = await open({});
  const { status, body } = await stage.ask({ resource: RESOURCE });
  expect(status).toBe(404);
  expect(body.error.message).toBe("This gateway doesn't run a sandbox.");
});
