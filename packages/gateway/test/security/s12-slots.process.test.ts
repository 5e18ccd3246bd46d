import { describe, expect, it } from "vitest";
import { CallLifetime } from "../../src/upstreams/call-lifetime.ts";
import { FairSlots } from "../../src/upstreams/fair-slots.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { openStage, upstreamTo } from "../stage.ts";

const alice = { tenant: "acme", user: "alice" };
const bob = { tenant: "acme", user: "bob" };
const mallory = { tenant: "bravo", user: "mallory" };

/** Takes a slot and writes the name down when it is there. */
function taker(slots: FairSlots): {
  order: string[];
  take(scope: { tenant: string; user: string }): Promise<() => void>;
} {
  const order: string[] = [];
  return {
    order,
    take: async (scope) => {
      const release = await slots.take(scope);
      order.push(scope.user);
      return release;
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("S12: slots of a server", () => {
  it("S12: one user can't take every slot of a server", async () => {
    await using server = await serveRaw([tool("slow"), tool("fast")]);
    const answer = server.answers["tools/call"];
    const held: (() => void)[] = [];
    server.answers["tools/call"] = async (params, body) => {
      if (params.name === "slow") await new Promise<void>((resolve) => held.push(resolve));
      return answer?.(params, body);
    };
    server.answers["tools/list"] = () => ({
      tools: server.tools,
      ttlMs: 6e4,
      cacheScope: "public",
    });
    await using stage = await openStage({
      servers: { raw: { upstream: upstreamTo(server.url) } },
      authenticate: async (token) =>
        ({ "alice-token": alice, "bob-token": bob, "mallory-token": mallory })[token],
    });
    const call = (name: string, token: string) => stage.post("tools/call", { name }, { token });
    await call("fast", "alice-token");
    const slow = Array.from({ length: 64 }, () => call("slow", "mallory-token"));
    while (held.length < 16) await settle();
    const started = performance.now();
    const others = await Promise.all([call("fast", "alice-token"), call("fast", "bob-token")]);
    expect(performance.now() - started).toBeLessThan(10_000);
    for (const { body } of others) expect(body.result).toBeDefined();
    expect(held).toHaveLength(16);
    // None of the slow calls is lost, they only take turns.
    const freeing = setInterval(() => {
      for (const release of held.splice(0)) release();
    }, 5);
    const bodies = (await Promise.all(slow)).map(({ body }) => body);
    clearInterval(freeing);
    expect(bodies.every(({ result }) => result !== undefined)).toBe(true);
  }, 10_000);

  it("S12: a tenant with many users leaves slots for another", async () => {
    const slots = new FairSlots({ limit: 8, queue: 100 });
    const { take } = taker(slots);
    for (let n = 0; n < 20; n++) void take({ tenant: "bravo", user: `user-${n}` });
    await settle();
    expect(slots.taken).toBe(6);
    expect(await slots.take(alice)).toBeTypeOf("function");
  });

  it("S12: a free slot goes to the tenant and the user that hold the fewest", async () => {
    const slots = new FairSlots({ limit: 4, queue: 100, perTenant: 4, perUser: 4 });
    const { order, take } = taker(slots);
    const releases = await Promise.all([1, 2, 3, 4].map(() => take(mallory)));
    for (let n = 0; n < 3; n++) void take(mallory);
    for (const scope of [alice, alice, bob]) void take(scope);
    order.length = 0;
    for (const release of releases) {
      release();
      await settle();
    }
    expect(order).toEqual(["alice", "bob", "mallory", "mallory"]);
  });

  it("S12: one user can't fill the queue, and gets a message about it", async () => {
    const slots = new FairSlots({ limit: 4, queue: 8 });
    const release = await slots.take(mallory);
    const waiting = [slots.take(mallory), slots.take(mallory)];
    await expect(slots.take(mallory)).rejects.toMatchObject({
      code: "busy",
      message: expect.stringContaining("of this user"),
    });
    expect(await slots.take(alice)).toBeTypeOf("function");
    expect(slots.waiting).toBe(2);
    release();
    await waiting[0];
    expect(slots.waiting).toBe(1);
  });

  it("S12: a call that is cancelled or late leaves the queue", async () => {
    const slots = new FairSlots({ limit: 4, queue: 8 });
    const release = await slots.take(mallory);
    const giveUp = new AbortController();
    const cancelled = slots.take(
      mallory,
      new CallLifetime({ signal: giveUp.signal, deadline: 5_000 }),
    );
    const late = slots.take(mallory, new CallLifetime({ deadline: 20 }));
    expect(slots.waiting).toBe(2);
    giveUp.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "aborted" });
    await expect(late).rejects.toMatchObject({ code: "busy", sent: false });
    expect(slots.waiting).toBe(0);
    release();
    release();
    expect(slots.taken).toBe(0);
    expect(await slots.take(mallory)).toBeTypeOf("function");
  });
});
