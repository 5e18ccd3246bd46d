// Write access to the store doesn't allow any decision: each value is sealed and bound to its bucket and key.

import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSealer } from "../../gateway/src/crypto/sealing.ts";
import { hashOf } from "../../gateway/src/crypto/stable-hash.ts";
import { createMemoryEngine, type Engine, sealEngine } from "../../gateway/src/engine/index.ts";
import { loginKey } from "../../gateway/src/identity/credentials/token-store.ts";
import { toolHashOf } from "../../gateway/src/policy/tool-definition.ts";
import { ANNA, openCredentialStage } from "../../gateway/test/identity/stage.ts";
import { serveRaw, tool } from "../../gateway/test/raw-server.ts";
import { openServiceStage, type ServiceStage, TOKEN } from "../../gateway/test/service/stage.ts";
import { type Json, openStage, upstreamTo } from "../../gateway/test/stage.ts";
import { until } from "../../gateway/test/upstreams/calls.ts";
import { openNatsEngine } from "../src/index.ts";
import { freshPrefix } from "./nats/stage.ts";

const VIEW = "ui://raw/view.html";
const PAY = tool("pay");
const GRANT_KEY = `${hashOf(["dev", "developer"])}.${hashOf(["raw", "pay"])}`;
const ALWAYS = { server: "raw", tool: "pay", scope: "always", toolHash: toolHashOf(PAY) };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const sealerOf = (fill: number) =>
  createSealer([{ id: "store", secret: new Uint8Array(32).fill(fill) }], { purpose: "store" });

describe("a gateway whose NATS server others can write to", { timeout: 60_000 }, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 1 });
  }, 60_000);
  afterAll(() => servers?.stop());

  async function open(): Promise<
    AsyncDisposable & { stage: ServiceStage; intruder: Engine; call(): Promise<Json> }
  > {
    const raw = await serveRaw([PAY]);
    const prefix = freshPrefix();
    const stage = await openServiceStage({
      engine: {
        driver: "nats",
        servers: servers.urls,
        prefix,
      },
      servers: { raw: { url: raw.url.href, private: true } },
    });
    const intruder = await openNatsEngine({ servers: servers.urls, prefix });
    const opened = await send(stage, "/servers/raw/views", { resource: VIEW });
    const call = async (): Promise<Json> => {
      const headers = { authorization: "", "vitrine-view": opened.ticket };
      const params = { name: "pay", arguments: {} };
      const { body } = await stage.post("tools/call", params, { server: "raw", headers });
      return body.error?.data?.reason ?? "called";
    };
    const dispose = async (): Promise<void> => {
      await intruder.close();
      await stage[Symbol.asyncDispose]();
      await raw[Symbol.asyncDispose]();
    };
    return { stage, intruder, call, [Symbol.asyncDispose]: dispose };
  }

  test("S22: a forged grant in the store gives nothing", async () => {
    await using scene = await open();
    expect(await scene.call()).toBe("consent-required");
    await scene.intruder
      .kv("grants", { durable: true })
      .put(GRANT_KEY, bytes(JSON.stringify(ALWAYS)));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await scene.call()).toBe("consent-required");
    expect(scene.stage.logText()).toContain("can't be opened");
  });

  test("S22: garbage in the store ends a grant instead of leaving the old one in force", async () => {
    await using scene = await open();
    await send(scene.stage, "/servers/raw/grants", { tool: "pay", scope: "always" });
    expect(await scene.call()).toBe("called");
    await scene.intruder.kv("grants", { durable: true }).put(GRANT_KEY, bytes("{not json"));
    await until(async () => (await scene.call()) === "consent-required");
  });

  test("S22: no bucket holds a value that can be read without the key", async () => {
    await using scene = await open();
    await send(scene.stage, "/servers/raw/grants", { tool: "pay", scope: "always" });
    const once = { tool: "pay", scope: "once", arguments: { n: 1 } };
    await send(scene.stage, "/servers/raw/grants", once);
    const found: string[] = [];
    for (const bucket of ["grants", "grants-once", "approvals", "nodes", "audit-epochs"]) {
      const kv = scene.intruder.kv(bucket);
      for await (const key of kv.keys()) {
        const value = (await kv.get(key))?.value ?? new Uint8Array();
        // The version of the seal; every value that the gateway stores begins with another byte.
        expect([bucket, value[0]]).toEqual([bucket, 1]);
        found.push(bucket);
      }
    }
    expect([...new Set(found)]).toHaveLength(5);
  });

  test("S22: garbage among the members neither stops a gateway nor keeps it out", async () => {
    await using scene = await open();
    const nodes = scene.intruder.kv("nodes");
    for await (const key of nodes.keys()) await nodes.put(key, bytes("{not json"));
    await nodes.put("abcdefabcdefabcdefabcdef", bytes("null"));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await until(async () => {
      const { status } = await scene.stage.post("tools/list", {}, { server: "raw" });
      return status === 200;
    });
  });
});

async function send(stage: ServiceStage, path: string, body: object): Promise<Json> {
  const answer = await fetch(`${stage.service.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

test("S22: a sealed value opens in its own bucket, under its own key, with the right key alone", async () => {
  const engine = createMemoryEngine();
  const sealed = sealEngine(engine, { sealer: sealerOf(1) });
  await sealed.kv("a").put("mine", bytes("secret"));
  const { value } = (await engine.kv("a").get("mine")) as { value: Uint8Array };
  await engine.kv("a").put("other", value);
  await engine.kv("b").put("mine", value);
  expect(await sealed.kv("a").get("mine")).toMatchObject({ key: "mine" });
  expect(await sealed.kv("a").get("other")).toBeUndefined();
  expect(await sealed.kv("b").get("mine")).toBeUndefined();
  const other = sealEngine(engine, { sealer: sealerOf(2) });
  expect(await other.kv("a").get("mine")).toBeUndefined();
  for (let at = 0; at < value.length; at++) {
    const changed = Uint8Array.from(value, (byte, place) => (place === at ? byte ^ 1 : byte));
    await engine.kv("a").put("mine", changed);
    expect(await sealed.kv("a").get("mine")).toBeUndefined();
  }
  // A value that can't be read doesn't block its key.
  await sealed.kv("a").create("mine", bytes("again"));
  expect(Buffer.from((await sealed.kv("a").get("mine"))?.value ?? []).toString()).toBe("again");
  await engine.close();
});

test("S22: a forged challenge doesn't choose where a user logs in", async () => {
  await using stage = await openCredentialStage();
  const forged = { scope: "admin", metadataUrl: "http://127.0.0.1:9/.well-known/evil" };
  await stage.store
    .kv("oauth-challenges", { ttl: 3_600_000 })
    .put(loginKey(ANNA, "station"), bytes(JSON.stringify(forged)));
  const { url } = await stage.credentials.flow.begin(ANNA, stage.server);
  expect([new URL(url).host, url.includes("admin")]).toEqual([stage.authority.host, false]);
});

test("S22: an approval that can't be read asks the user again", async () => {
  const raw = await serveRaw([PAY]);
  const engine = createMemoryEngine();
  const sealed = sealEngine(engine, { sealer: sealerOf(1) });
  const servers = { raw: { upstream: upstreamTo(raw.url), settings: {} } };
  {
    await using stage = await openStage({ servers, engine: sealed });
    expect((await stage.open(VIEW)).status).toBe(200);
    const approvals = engine.kv("approvals");
    for await (const key of approvals.keys()) await approvals.put(key, bytes("{}"));
    const { status, body } = await stage.open(VIEW);
    expect([status, body.error.data.reason]).toEqual([409, "changed-since-approval"]);
    expect((await stage.open(VIEW, { approve: body.error.data.approve })).status).toBe(200);
  }
  await raw[Symbol.asyncDispose]();
});
