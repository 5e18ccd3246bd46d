import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kvStore } from "../src/stores/kv-store.ts";
import { redisStore, type SendRedisCommand } from "../src/stores/redis-store.ts";
import { createMemoryStore } from "../src/view-store.ts";
import { createFakeKv } from "./fake-kv.ts";
import { HAS_REDIS, type RunningRedis, startRedis } from "./redis-server.ts";
import { describeStore } from "./store-contract.ts";

describe("in memory", () => {
  const store = createMemoryStore();
  describeStore({ open: () => store, pass: (time) => sleep(time) });
});

describe.skipIf(!HAS_REDIS)("on a Redis server", () => {
  let redis: RunningRedis;
  const connections: { send: SendRedisCommand; close(): void }[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    for (let at = 0; at < 4; at += 1) connections.push(await redis.connect());
  });
  afterAll(async () => {
    for (const { close } of connections) close();
    await redis.stop();
  });
  let turn = 0;
  const send: SendRedisCommand = (command) => {
    const connection = connections[turn++ % connections.length];
    if (!connection) throw new Error("no connection");
    return connection.send(command);
  };
  describeStore({ open: () => redisStore(send), pass: (time) => sleep(time) });

  test("keys have the prefix, and an end each", async () => {
    const store = redisStore(send, { prefix: "own:" });
    await store.put("a", "text", { ttl: 60_000.5 });
    await store.add("b", 1, { ttl: 60_000 });
    for (const key of ["own:a", "own:b"]) {
      expect(Number(await send(["PTTL", key]))).toBeGreaterThan(50_000);
    }
  });

  test("a counter that lost its end gets one again", async () => {
    await send(["SET", "vitrine:endless", "5"]);
    expect(await redisStore(send).add("endless", 1, { ttl: 60_000 })).toBe(6);
    expect(Number(await send(["PTTL", "vitrine:endless"]))).toBeGreaterThan(50_000);
  });

  test("a full server rejects views as a full store does", async () => {
    const small = await startRedis("--maxmemory", "3mb", "--maxmemory-policy", "noeviction");
    const connection = await small.connect();
    const store = redisStore(connection.send);
    const fill = async (): Promise<void> => {
      for (let at = 0; at < 20; at += 1)
        await store.put(`${at}`, "x".repeat(2 ** 20), { ttl: 60_000 });
    };
    await expect(fill()).rejects.toMatchObject({ code: "store-full" });
    connection.close();
    await small.stop();
  });
});

test("a Redis server that answers nonsense counts as above every limit", async () => {
  for (const reply of [null, "x", {}, undefined]) {
    const store = redisStore(async () => reply);
    expect(await store.add("a", 1, { ttl: 1 })).toBe(Number.POSITIVE_INFINITY);
  }
  const failing = redisStore(() => Promise.reject(new Error("no connection")));
  await expect(failing.take("a")).rejects.toThrow("no connection");
});

// An imitation: the real one runs at Cloudflare only.
describe("on an imitation of Workers KV, with counters elsewhere", () => {
  let now = 1_000_000;
  const clock = (): number => now;
  const counters = createMemoryStore({ clock });
  // Fresh reads for the contract; what stale reads change is tested below.
  const kv = createFakeKv({ isStale: false });
  describeStore({
    open: () => kvStore(kv, { counter: (key, ...rest) => counters.add(key, ...rest), clock }),
    pass: async (time) => {
      now += time;
    },
  });

  test("a text that KV still returns after it was deleted can't be taken twice", async () => {
    const stale = createFakeKv();
    const store = kvStore(stale, { counter: (key, ...rest) => counters.add(key, ...rest), clock });
    await store.put("a", "text", { ttl: 60_000 });
    expect(await store.take("a")).toBe("text");
    expect(stale.deleted).toContain("vitrine:a");
    expect(await stale.get("vitrine:a")).not.toBeNull();
    expect(await store.take("a")).toBeUndefined();
    // Just before the text's end the mark still counts.
    now += 59_999;
    expect(await store.take("a")).toBeUndefined();
    now += 1;
    expect(await store.take("a")).toBeUndefined();
  });

  test("a failing counter gives nothing away", async () => {
    const failing = kvStore(kv, { counter: () => Promise.reject(new Error("down")), clock });
    await failing.put("b", "text", { ttl: 60_000 });
    await expect(failing.take("b")).rejects.toThrow("down");
    const full = kvStore(kv, { counter: async () => Number.POSITIVE_INFINITY, clock });
    expect(await full.take("b")).toBeUndefined();
  });

  test("text in KV that isn't ours isn't a view", async () => {
    for (const text of ["", "text", "9999999999999\ntext", "x.y\ntext"]) {
      await kv.put("vitrine:c", text, { expirationTtl: 60 });
      const store = kvStore(kv, { counter: async () => 1, clock });
      expect(await store.get("c")).toBeUndefined();
      expect(await store.take("c")).toBeUndefined();
    }
  });
});
