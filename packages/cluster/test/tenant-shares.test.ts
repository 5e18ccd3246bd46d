// A tenant's limit is divided among the processes; together they admit as much as one process would.

import { expect, test } from "vitest";
import { TenantLimits } from "../../gateway/src/policy/tenant-limits.ts";
import { until } from "../../gateway/test/upstreams/calls.ts";
import { openShares, type SharedLimits } from "./shared-limits.ts";
import { openProcesses } from "./stage.ts";

const PER_MINUTE = 6000;
const PER_MS = PER_MINUTE / 60_000;
const INTERVAL = 250;
const PROCESSES = 3;

async function open(): Promise<{
  shares: SharedLimits[];
  processes: Awaited<ReturnType<typeof openProcesses>>["processes"];
  /** Advances the time, with so many requests per step at each process. Returns the admitted requests. */
  pass(time: number, asked: readonly number[]): Promise<number[]>;
}> {
  const { processes } = await openProcesses(PROCESSES, { ttl: 60_000 });
  let clock = 0;
  const shares = openShares(processes, { perMinute: PER_MINUTE, now: () => clock });
  await until(() =>
    processes.every(({ cluster }) => cluster.membership.members("edge").length === 2),
  );
  return {
    shares,
    processes,
    pass: async (time, asked) => {
      const given = shares.map(() => 0);
      for (const end = clock + time; clock < end; ) {
        clock += 10;
        for (const [place, share] of shares.entries()) {
          given[place] = (given[place] as number) + taken(share, asked[place] as number);
        }
        if (clock % INTERVAL === 0) await report(shares);
      }
      return given;
    },
  };
}

function taken(share: SharedLimits, asked: number): number {
  return Array.from({ length: asked }, () => share.take("acme")).filter(Boolean).length;
}

/** Sends all reports, and waits for their delivery. */
async function report(shares: readonly SharedLimits[]): Promise<void> {
  for (const share of shares) share.report();
  // The memory engine delivers within one turn of the event loop, even on a busy machine.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
/** One burst, and a quarter of a second's requests for each process. */
const BOUND = PER_MINUTE / 6 + PROCESSES * INTERVAL * PER_MS + PROCESSES;

test("a single process admits the whole limit", () => {
  let clock = 0;
  const alone = new TenantLimits({ perMinute: PER_MINUTE, now: () => clock });
  let count = 0;
  for (; clock < 10_000; clock += 10)
    for (let each = 0; each < 5; each++) count += +alone.take("a");
  expect(count).toBeGreaterThan(PER_MINUTE / 6 + 0.95 * 10_000 * PER_MS);
  expect(count).toBeLessThanOrEqual(PER_MINUTE / 6 + 10_000 * PER_MS + 1);
});

test("three processes with equal demand admit equally, and together no more than the limit", async () => {
  const { pass } = await open();
  const time = 20_000;
  const counts = await pass(time, [3, 3, 3]);
  expect(sum(counts)).toBeLessThanOrEqual(time * PER_MS + BOUND);
  expect(sum(counts)).toBeGreaterThan(0.9 * time * PER_MS);
  for (const count of counts) expect(count / sum(counts)).toBeCloseTo(1 / 3, 1);
});

test("shares follow the demand", async () => {
  const { pass } = await open();
  await pass(5000, [3, 0, 0]);
  const alone = await pass(10_000, [3, 0, 0]);
  expect(alone[0]).toBeGreaterThan(0.85 * 10_000 * PER_MS);
  // The demand moves to another process, which has its share within a second.
  await pass(1000, [0, 3, 0]);
  const moved = await pass(10_000, [0, 3, 0]);
  expect(moved[1]).toBeGreaterThan(0.85 * 10_000 * PER_MS);
});

test("all processes together stay within the limit while the demand moves", async () => {
  const { pass } = await open();
  let state = 7;
  let given = 0;
  const time = 40_000;
  for (let step = 0; step < 40; step++) {
    const asked = [0, 1, 2].map(() => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return state % 3 === 0 ? 4 : 0;
    });
    given += sum(await pass(time / 40, asked));
  }
  expect(given).toBeLessThanOrEqual(time * PER_MS + BOUND);
});

test("a process that receives no reports keeps its share instead of taking the whole limit", async () => {
  const { pass, processes } = await open();
  await pass(5000, [3, 3, 3]);
  for (const { engine } of processes) engine.cut();
  // It takes a moment until the processes know that they are cut off.
  await until(() => processes.every(({ cluster }) => cluster.membership.silence > 2100), 20_000);
  const counts = await pass(10_000, [3, 3, 3]);
  expect(sum(counts)).toBeLessThanOrEqual(10_000 * PER_MS + BOUND);
});

test("a report that can't be sent doesn't reduce any share", async () => {
  const { shares, processes } = await open();
  for (const { engine } of processes) {
    engine.bus.publish = () => {
      throw new Error("The engine is closed.");
    };
  }
  const [first] = shares as [SharedLimits];
  first.take("acme");
  expect(() => first.report()).not.toThrow();
});

test("limits tenants independently", async () => {
  const { shares } = await open();
  const [first] = shares as [SharedLimits];
  while (first.take("acme"));
  expect(first.take("other")).toBe(true);
});
