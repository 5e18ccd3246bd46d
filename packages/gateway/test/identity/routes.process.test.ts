import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exportAudit } from "../../src/audit/index.ts";
import { openSqliteReader } from "../../src/engine/index.ts";
import { collect, freePort, openServiceStage, type ServiceStage, TOKEN } from "../service/stage.ts";
import type { Json } from "../stage.ts";
import { OAuthServer, type ProtectedStation, serveProtectedStation } from "./oauth-server.ts";

let stage: ServiceStage;
let authority: OAuthServer;
let station: ProtectedStation;
let publicUrl: string;
const KEY = "CANARY-header-of-the-operator-123456";

beforeEach(async () => {
  authority = await new OAuthServer().listen();
  station = await serveProtectedStation(authority);
  const port = await freePort();
  publicUrl = `http://127.0.0.1:${port}`;
  stage = await openServiceStage(
    {
      listen: { port, publicUrl },
      engine: { driver: "sqlite", folder: "data" },
      audit: { level: "full" },
      telemetry: { log: "debug" },
      servers: {
        station: {
          ...{ url: station.url, private: true, headers: { "x-operator": `\${OPERATOR_KEY}` } },
          oauth: { issuer: authority.issuer },
        },
        plain: { url: station.url, private: true },
      },
    },
    { environment: { OPERATOR_KEY: KEY } },
  );
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  await station[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});

const answers: string[] = [];

async function connect(method = "GET", body?: object, more = "", token = TOKEN) {
  const answer = await fetch(`${publicUrl}/servers/station/connect${more}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  answers.push(text);
  return { status: answer.status, body: (text ? JSON.parse(text) : undefined) as Json };
}

describe("a Host's page", () => {
  test("connects a user to a server, step by step, and disconnects", async () => {
    const refused = await stage.post("tools/list");
    expect(refused.body.error.message).toContain("Connect it first");
    const begun = await connect("GET", undefined, "?return=https://chat.example/back");
    expect(begun.body).toMatchObject({
      connected: false,
      url: expect.stringContaining("/authorize?"),
    });
    const back = await authority.open(begun.body.url);
    expect(`${back.origin}${back.pathname}`).toBe(`${publicUrl}/oauth/callback/station`);
    const arrived = await fetch(back, { redirect: "manual" });
    expect(arrived.status).toBe(303);
    expect(arrived.headers.get("referrer-policy")).toBe("no-referrer");
    const location = new URL(`${arrived.headers.get("location")}`);
    expect(location.href.split("#")[0]).toBe("https://chat.example/back");
    const confirm = location.hash.slice("#vitrine-connect=".length);
    expect((await connect("POST", { confirm })).status).toBe(204);
    expect((await connect()).body.connected).toBe(true);
    const called = await stage.post("tools/call", {
      name: "forecast",
      arguments: { city: "Graz" },
    });
    expect(called.body.result.structuredContent).toEqual({ city: "Graz", celsius: 12 });
    expect((await connect("DELETE")).status).toBe(204);
    expect((await stage.post("tools/list")).body.error.message).toContain("Connect it first");
  });

  test("is rejected without a token, from a foreign page, or for a server without login", async () => {
    expect((await connect("GET", undefined, "", "wrong")).status).toBe(401);
    expect((await connect("POST", { confirm: "guessed" })).body).toMatchObject({
      error: "unknown-flow",
    });
    expect((await connect("POST", {})).status).toBe(400);
    const foreign = await fetch(`${publicUrl}/servers/station/connect`, {
      headers: { authorization: `Bearer ${TOKEN}`, origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
    const plain = await fetch(`${publicUrl}/servers/plain/connect`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(plain.status).toBe(404);
    const bad = await connect("GET", undefined, "?return=https://evil.example/");
    expect(bad).toMatchObject({ status: 400, body: { error: "bad-return" } });
  });

  test("a browser that is denied, or arrives with two responses, only learns that", async () => {
    const begin = async () => new URL((await connect()).body.url);
    const state = (await begin()).searchParams.get("state");
    const denied = await fetch(
      `${publicUrl}/oauth/callback/station?state=${state}&iss=${authority.issuer}&error=access_denied&error_description=%3Cscript%3E`,
    );
    expect(denied.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await denied.text()).toBe("The login was denied. You can close this window.\n");
    const second = (await begin()).searchParams.get("state");
    const twice = await fetch(
      `${publicUrl}/oauth/callback/station?state=${second}&state=${second}&code=a&iss=${authority.issuer}`,
    );
    expect(twice.status).toBe(400);
  });
});

describe("secrets (G135)", () => {
  test("never appear in logs, audit records, metrics, responses or errors, and no token is passed through", async () => {
    const begun = await connect();
    const back = await authority.open(begun.body.url);
    const shown = await (await fetch(back)).text();
    const confirm = /\n\n(\S+)\n/.exec(shown)?.[1];
    await connect("POST", { confirm });
    // Good calls, refused ones, a refresh, a server that fails, a login that breaks.
    const call = { name: "forecast", arguments: { city: "Graz" } };
    for (const round of ["good", "refresh"]) {
      if (round === "refresh") authority.tokens.clear();
      answers.push((await stage.post("tools/call", call)).text);
    }
    answers.push((await stage.post("tools/call", { name: "fail" })).text);
    answers.push((await stage.post("tools/call", { name: "nothing" })).text);
    authority.revokeAll();
    answers.push((await stage.post("tools/call", call)).text);
    authority.metadata = { token_endpoint: `${authority.issuer}/CANARY-nowhere` };
    await fetch(`${publicUrl}/oauth/callback/station?state=CANARY-state&code=CANARY-code`);
    answers.push((await stage.post("tools/list", {}, { token: "CANARY-token-of-nobody" })).text);
    await connect("GET", undefined, "?return=CANARY-query", "wrong");
    const metrics = await (await fetch(`${stage.service.operatorUrl}/metrics`)).text();
    await stage.service.close();
    const { log } = openSqliteReader({ folder: join(stage.folder, "data") });
    const audit = (await collect(exportAudit({ log }))).join("");

    expect(audit).toContain('"action":"connect"');
    expect(audit.split("\n").length).toBeGreaterThan(8);
    expect(stage.log.length).toBeGreaterThan(5);
    const outputs = { log: stage.logText(), audit, metrics, answers: answers.join("\n") };
    for (const [name, text] of Object.entries(outputs)) {
      expect(text, name).not.toContain("CANARY");
    }
    // What the server got: the operator's header and the user's token for it, never the gateway's.
    expect(station.headers.length).toBeGreaterThan(4);
    expect(station.headers.some((text) => text.includes(KEY))).toBe(true);
    expect(station.headers.some((text) => text.includes("CANARY-access"))).toBe(true);
    expect(station.headers.join()).not.toContain(TOKEN);
    expect(authority.tokenRequests.join()).not.toContain(TOKEN);
  });
});
