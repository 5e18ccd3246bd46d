// A resource that only one process may have exists once in the cluster, whatever happens to its owner.

import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";
import { expect, test } from "vitest";
import type { Kv, SharedEngine } from "../../gateway/src/engine/engine.ts";
import { bob, request, until } from "../../gateway/test/upstreams/calls.ts";
import { Membership } from "../src/membership/membership.ts";
import { call, failureOf, GRACE, openProcess, openProcesses, processOf, TTL } from "./stage.ts";

const HOLD = { wait: "open" };

/** An engine with changed bucket operations. */
function withKv(engine: SharedEngine, change: (kv: Kv) => Partial<Kv>): SharedEngine {
  return {
    ...engine,
    kv: (bucket, options) => {
      const kv = engine.kv(bucket, options);
      const { create, update, put, get, keys, watch } = kv;
      const bound = {
        create: create.bind(kv),
        update: update.bind(kv),
        put: put.bind(kv),
        get: get.bind(kv),
        delete: kv.delete.bind(kv),
        keys: keys.bind(kv),
        watch: watch.bind(kv),
      };
      return { ...bound, ...change(kv) };
    },
  };
}

test("calls of all processes go to the first process", async () => {
  const { world, processes } = await openProcesses(3);
  const owners = new Set<string>();
  for (const { upstream } of processes) owners.add(await processOf(upstream.send(call("a"))));
  expect([...owners]).toEqual(["p1"]);
  expect(world.lives).toHaveLength(1);
});

test("one of many concurrent processes becomes the owner, and answers all calls", async () => {
  const { world, processes } = await openProcesses(3);
  const answers = processes.flatMap(({ upstream }) =>
    Array.from({ length: 10 }, () => processOf(upstream.send(call("a")))),
  );
  expect(new Set(await Promise.all(answers)).size).toBe(1);
  expect(world.lives).toHaveLength(1);
  expect(world.calls).toHaveLength(30);
});

test("users who share nothing have separate children, in any process", async () => {
  const { world, processes } = await openProcesses(2);
  const [first, second] = processes;
  await first?.upstream.send(call("a"));
  expect(await processOf(second?.upstream.send(call("b", {}, { scope: bob })) as never)).toBe("p2");
  expect(await processOf(first?.upstream.send(call("c", {}, { scope: bob })) as never)).toBe("p2");
  expect(world.lives.map(({ key }) => key)).toEqual(["acme/ann", "acme/bob"]);
});

test("an owner that closes releases its claims, and the next caller takes over at once", async () => {
  const { world, processes } = await openProcesses(2);
  const [first, second] = processes;
  await second?.upstream.send(call("a"));
  await first?.upstream.send(call("b"));
  await second?.upstream.close();
  await second?.cluster.close();
  const before = performance.now();
  expect(await processOf(first?.upstream.send(call("c")) as never)).toBe("p1");
  expect(performance.now() - before).toBeLessThan(TTL);
  expect(world.overlaps()).toEqual([]);
});

test("releases an unused claim after a while", async () => {
  const { world, engine, processes } = await openProcesses(2, { idle: 60 });
  const [first, second] = processes;
  await first?.upstream.send(call("a"));
  await until(() => world.lives[0]?.to);
  const entries: string[] = [];
  await until(async () => {
    entries.length = 0;
    for await (const key of engine.kv("sessions").keys()) entries.push(key);
    return entries.length === 0;
  });
  expect(await processOf(second?.upstream.send(call("b")) as never)).toBe("p2");
  expect(world.overlaps()).toEqual([]);
});

test("an owner that is cut off ends its child before another process may start one", async () => {
  const { world, processes } = await openProcesses(2);
  const [owner, other] = processes;
  await owner?.upstream.send(call("a"));
  await other?.upstream.send(call("b"));
  const cutAt = performance.now();
  owner?.engine.cut();
  expect(await processOf(other?.upstream.send(call("c")) as never)).toBe("p2");
  const tookOver = performance.now() - cutAt;
  const [before, after] = world.lives;
  expect((before?.to as number) - cutAt).toBeLessThan(0.8 * TTL);
  // The last renewal was at most a fifth of the TTL before the cut.
  expect(tookOver).toBeGreaterThan(0.8 * TTL + GRACE - 20);
  expect(after?.from).toBeGreaterThan(before?.to as number);
  expect(world.overlaps()).toEqual([]);
});

test("a process that is cut off answers no calls, whether it was the owner or not", async () => {
  const { world, processes } = await openProcesses(2, { patience: 0 });
  const [owner, other] = processes;
  await owner?.upstream.send(call("a"));
  owner?.engine.cut();
  await until(() => owner?.cluster.membership.epoch === undefined);
  expect(await failureOf(owner?.upstream.send(call("b")) as never)).toBe("unreachable");
  expect(world.count("b")).toBe(0);
  other?.engine.cut();
  await until(() => other?.cluster.membership.epoch === undefined);
  expect(await failureOf(other?.upstream.send(call("c")) as never)).toBe("unreachable");
});

test("a call under way when its owner is cut off has an unknown outcome, and isn't repeated", async () => {
  const { world, processes } = await openProcesses(2);
  const [owner, other] = processes;
  await owner?.upstream.send(call("a"));
  const here = failureOf(owner?.upstream.send(call("here", HOLD)) as never);
  const there = failureOf(other?.upstream.send(call("there", HOLD)) as never);
  await until(() => world.waiting.length === 2);
  owner?.engine.cut();
  expect(await here).toBe("outcome-unknown");
  expect(await there).toBe("outcome-unknown");
  expect([world.count("here"), world.count("there")]).toEqual([1, 1]);
});

test("the next owner repeats a repeatable call once", async () => {
  const { world, processes } = await openProcesses(2);
  const [owner, other] = processes;
  await owner?.upstream.send(call("a"));
  const again = other?.upstream.send(
    request("resources/read", { arguments: { name: "again", wait: 3000 } }, { deadline: 20_000 }),
  );
  await until(() => world.count("again") === 1);
  owner?.engine.cut();
  expect(await processOf(again as never)).toBe("p2");
  expect(world.count("again")).toBe(2);
});

test("a process that was cut off rejoins with a new epoch", async () => {
  const { world, processes } = await openProcesses(2);
  const [owner, other] = processes;
  await owner?.upstream.send(call("a"));
  const { epoch } = owner?.cluster.membership ?? {};
  owner?.engine.cut();
  await other?.upstream.send(call("b"));
  owner?.engine.heal();
  await until(() => owner?.cluster.membership.epoch !== undefined);
  expect(owner?.cluster.membership.epoch).toBeGreaterThan(epoch as number);
  expect(await processOf(owner?.upstream.send(call("c")) as never)).toBe("p2");
  expect(await processOf(owner?.upstream.send(call("d", {}, { scope: bob })) as never)).toBe("p1");
  expect(world.overlaps()).toEqual([]);
});

test("waits for an owner that was never seen alive for the whole time of its lease", async () => {
  const { world, engine, processes } = await openProcesses(1);
  await processes[0]?.upstream.send(call("a"));
  processes[0]?.engine.cut();
  await new Promise((resolve) => setTimeout(resolve, TTL + GRACE));
  const startedAt = performance.now();
  const late = await openProcess(engine, world, { name: "late" });
  expect(await processOf(late.upstream.send(call("b")))).toBe("late");
  expect(performance.now() - startedAt).toBeGreaterThan(TTL + GRACE - 20);
  await late.upstream.close();
  await late.cluster.close();
});

test("an owner stops by its clock even if its timers didn't run", async () => {
  let ahead = 0;
  const { world, engine, processes } = await openProcesses(1, { patience: 0 });
  const stopped = await openProcess(engine, world, {
    name: "stopped",
    patience: 0,
    now: () => performance.now() + ahead,
  });
  const [other] = processes;
  await stopped.upstream.send(call("a"));
  await other?.upstream.send(call("b"));
  // As after SIGSTOP and SIGCONT: the time has passed, and queued messages arrive first.
  ahead = TTL;
  const late = failureOf(stopped.upstream.send(call("late")));
  const asked = failureOf(other?.upstream.send(call("asked")) as never);
  expect(await late).toBe("unreachable");
  expect(await asked).toBe("unreachable");
  expect([world.count("late"), world.count("asked")]).toEqual([0, 0]);
  await stopped.upstream.close();
  await stopped.cluster.close();
});

test("a process joins with one epoch although the engine responds late at first", async () => {
  const engine = createSharedMemoryEngine();
  let creations = 0;
  const slow = withKv(engine, (kv) => ({
    create: async (...args) => {
      const revision = await kv.create(...args);
      creations += 1;
      if (creations === 1) await new Promise((resolve) => setTimeout(resolve, TTL));
      return revision;
    },
  }));
  const membership = new Membership(slow, { ttl: TTL });
  await membership.join();
  const entry = await engine.kv("nodes").get(membership.node);
  expect(creations).toBe(2);
  expect(membership.epoch).toBe(entry?.revision);
  await new Promise((resolve) => setTimeout(resolve, TTL));
  expect(membership.epoch).toBe(entry?.revision);
  await membership.close();
});

test("asks an engine that doesn't report expiry, and uses the longer wait", async () => {
  const deaf = withKv(createSharedMemoryEngine(), (kv) => ({
    watch: (fn, options) => kv.watch((told) => told.reason !== "expired" && fn(told), options),
  }));
  const { world, processes } = await openProcesses(2, { engine: deaf, patience: 20_000 });
  const [owner, other] = processes;
  await owner?.upstream.send(call("a"));
  await other?.upstream.send(call("b"));
  owner?.engine.cut();
  const cutAt = performance.now();
  const next = other?.upstream.send(call("c", {}, { deadline: 20_000 }));
  expect(await processOf(next as never)).toBe("p2");
  expect(performance.now() - cutAt).toBeGreaterThan(2 * TTL);
  expect(world.overlaps()).toEqual([]);
});

test("a process without the role runner has a runner start the child", async () => {
  const { world, engine, processes } = await openProcesses(2, { roles: ["runner"] });
  const edge = await openProcess(engine, world, { name: "edge", roles: ["edge"] });
  const owner = await processOf(edge.upstream.send(call("a")));
  expect(processes.map(({ name }) => name)).toContain(owner);
  expect(await processOf(processes[0]?.upstream.send(call("b")) as never)).toBe(owner);
  expect(world.lives).toHaveLength(1);
  await edge.cluster.close();
});

test("reports that no runner is available", async () => {
  const { processes } = await openProcesses(1, { roles: ["edge"], patience: 0 });
  expect(await failureOf(processes[0]?.upstream.send(call("a")) as never)).toBe("unreachable");
});
