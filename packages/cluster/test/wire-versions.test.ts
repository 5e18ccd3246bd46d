// Processes of different versions in one cluster: they use the newest version that both support, and one that shares
// none with the others does no harm (O7).

import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";
import { expect, onTestFinished, test } from "vitest";
import {
  call,
  failureOf,
  openProcess,
  openProcesses,
  type Process,
  processOf,
  type StageOptions,
  World,
} from "./stage.ts";

const FORMER = { wire: { oldest: 3, newest: 4 } };
const LATER = { wire: { oldest: 6, newest: 7 } };

/** Processes that join one after the other. */
async function join(...each: StageOptions[]): Promise<{ processes: Process[]; world: World }> {
  const engine = createSharedMemoryEngine();
  const world = new World();
  const processes: Process[] = [];
  for (const [place, options] of each.entries()) {
    processes.push(await openProcess(engine, world, { name: `p${place + 1}`, ...options }));
  }
  onTestFinished(async () => {
    await Promise.all(processes.map(({ upstream }) => upstream.close()));
    await Promise.all(processes.map(({ cluster }) => cluster.close()));
    await engine.close();
  });
  return { processes, world };
}

test("processes of this version and of the one before call each other (O7)", async () => {
  const { processes } = await join(FORMER, {}, {});
  const [former, second, third] = processes as [Process, Process, Process];
  expect(await processOf(former.upstream.send(call("a")))).toBe("p1");
  expect(await processOf(second.upstream.send(call("b")))).toBe("p1");
  expect(await processOf(third.upstream.send(call("c")))).toBe("p1");
  await former.upstream.close();
  await former.cluster.close();
  expect(await processOf(second.upstream.send(call("d")))).toBe("p2");
  expect(await processOf(third.upstream.send(call("e")))).toBe("p2");
  expect(processes.flatMap(({ refused }) => refused)).toEqual([]);
});

test("an owner of this version answers a process of the version before (O7)", async () => {
  const { processes } = await join({}, FORMER);
  const [owner, former] = processes as [Process, Process];
  expect(await processOf(owner.upstream.send(call("a")))).toBe("p1");
  expect(await processOf(former.upstream.send(call("b")))).toBe("p1");
  expect([owner.refused, former.refused]).toEqual([[], []]);
});

test("a process that shares no version with the first one owns nothing (O7)", async () => {
  const { processes, world } = await join({}, { ...LATER, patience: 200 }, {});
  const [first, late, third] = processes as [Process, Process, Process];
  expect(await failureOf(late.upstream.send(call("a")))).toBe("unreachable");
  expect(await processOf(first.upstream.send(call("b")))).toBe("p1");
  expect(await processOf(third.upstream.send(call("c")))).toBe("p1");
  expect(await failureOf(late.upstream.send(call("d")))).toBe("unreachable");
  expect(world.calls.map(({ name }) => name)).toEqual(["b", "c"]);
  expect(processes.map(({ cluster }) => cluster.membership.mayOwn)).toEqual([true, false, true]);
  // The later versions are the cluster's once the others are gone.
  for (const { upstream, cluster } of [first, third]) {
    await upstream.close();
    await cluster.close();
  }
  await expect.poll(() => late.cluster.membership.mayOwn).toBe(true);
  expect(processes.flatMap(({ refused }) => refused)).toEqual([]);
});

test("an owner that closes lets the calls of other processes end (O14)", async () => {
  const { world, processes } = await openProcesses(2);
  const [owner, other] = processes as [Process, Process];
  await owner.upstream.send(call("a"));
  const running = other.upstream.send(call("b", { wait: "open" }));
  await expect.poll(() => world.waiting.length).toBe(1);
  const closing = owner.upstream.close();
  const next = other.upstream.send(call("c"));
  for (const answer of world.waiting) answer();
  expect(await processOf(running)).toBe("p1");
  await closing;
  expect(await processOf(next)).toBe("p2");
});

test("an owner that closes doesn't wait for a call for ever", async () => {
  const { world, processes } = await openProcesses(2, { drainTime: 100 });
  const [owner, other] = processes as [Process, Process];
  await owner.upstream.send(call("a"));
  const running = failureOf(other.upstream.send(call("b", { wait: "open" })));
  await expect.poll(() => world.waiting.length).toBe(1);
  await owner.upstream.close();
  expect(await running).toBe("outcome-unknown");
});
