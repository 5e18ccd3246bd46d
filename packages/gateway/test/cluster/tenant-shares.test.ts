// What a tenant may use is divided among the processes; together they hand out what one would have.

import { expect, test } from "vitest";
import { TenantShares } from "../../src/cluster/tenant-shares.ts";
import { until } from "../upstreams/calls.ts";
import { openProcesses } from "./stage.ts";

const PER_MINUTE = 6000;
const PER_MS = PER_MINUTE / 60_000;
const INTERVAL = 250;
const PROCESSES = 3;

async function open(): Promise<{
  shares: TenantShares[];
  processes: Awaited<ReturnType<typeof openProcesses>>["processes"];
  /** Lets time pass, with so many requests in each step at each process; gives what was let through. */
  pass(time: number, asked: readonly number[]): Promise<number[]>;
}> {
  const { processes } = await openProcesses(PROCESSES, { ttl: 60_000 });
  let clock = 0;
  const shares = processes.map(
    ({ cluster }) =>
      new TenantShares({ perMinute: PER_MINUTE, cluster, interval: 2 ** 30, now: () => clock }),
  );
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

function taken(share: TenantShares, asked: number): number {
  return Array.from({ length: asked }, () => share.take("acme")).filter(Boolean).length;
}

/** The reports of all, and the time they take. */
async function report(shares: readonly TenantShares[]): Promise<void> {
  for (const share of shares) share.tick();
  await new Promise((resolve) => setTimeout(resolve, 5));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
/** A burst, once, and a quarter of a second's worth for each process. */
const BOUND = PER_MINUTE / 6 + PROCESSES * INTERVAL * PER_MS + PROCESSES;

test("alone, a process hands out everything", () => {
  let clock = 0;
  const alone = new TenantShares({ perMinute: PER_MINUTE, now: () => clock });
  let count = 0;
  for (; clock < 10_000; clock += 10)
    for (let each = 0; each < 5; each++) count += +alone.take("a");
  expect(count).toBeGreaterThan(PER_MINUTE / 6 + 0.95 * 10_000 * PER_MS);
  expect(count).toBeLessThanOrEqual(PER_MINUTE / 6 + 10_000 * PER_MS + 1);
});

test("three who are asked alike hand out alike, and together no more than the limit", async () => {
  const { pass } = await open();
  const time = 20_000;
  const counts = await pass(time, [3, 3, 3]);
  expect(sum(counts)).toBeLessThanOrEqual(time * PER_MS + BOUND);
  expect(sum(counts)).toBeGreaterThan(0.9 * time * PER_MS);
  for (const count of counts) expect(count / sum(counts)).toBeCloseTo(1 / 3, 1);
});

test("the share goes where it is asked for", async () => {
  const { pass } = await open();
  await pass(5000, [3, 0, 0]);
  const alone = await pass(10_000, [3, 0, 0]);
  expect(alone[0]).toBeGreaterThan(0.85 * 10_000 * PER_MS);
  // Another Host, another process: within a second it has what it needs.
  await pass(1000, [0, 3, 0]);
  const moved = await pass(10_000, [0, 3, 0]);
  expect(moved[1]).toBeGreaterThan(0.85 * 10_000 * PER_MS);
});

test("however demand moves, together they stay within the bound", async () => {
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

test("who hears nothing more keeps its share instead of taking all", async () => {
  const { pass, processes } = await open();
  await pass(5000, [3, 3, 3]);
  for (const { engine } of processes) engine.cut();
  // A moment until the processes know that it is they who hear nothing.
  await until(() => processes.every(({ cluster }) => cluster.membership.silence > 2100), 20_000);
  const counts = await pass(10_000, [3, 3, 3]);
  expect(sum(counts)).toBeLessThanOrEqual(10_000 * PER_MS + BOUND);
});

test("a report that cannot be sent costs nobody anything", async () => {
  const { shares, processes } = await open();
  for (const { engine } of processes) {
    engine.bus.publish = () => {
      throw new Error("The engine is closed.");
    };
  }
  const [first] = shares as [TenantShares];
  first.take("acme");
  expect(() => first.tick()).not.toThrow();
});

test("one tenant's use is not another's", async () => {
  const { shares } = await open();
  const [first] = shares as [TenantShares];
  while (first.take("acme"));
  expect(first.take("other")).toBe(true);
});
