import { join } from "node:path";
import { type Engine, openSqliteEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { slowestArchive } from "../../src/audit/archive/index.ts";
import { createAudit } from "../../src/audit/index.ts";
import { startHousekeeping } from "../../src/service/retention.ts";
import { testFolder } from "../engine/children/child.ts";
import { KEYS, lookInto, openArchiver, record, stepsOf } from "./archive-stage.ts";

const DAY = 24 * 60 * 60_000;

/** A round of the housekeeping years from now, that keeps nothing it need not keep; what it said. */
async function tidy(engine: Engine): Promise<string[]> {
  const said: string[] = [];
  const say = (_facts: unknown, text?: string): void => void said.push(`${text}`);
  const audit = await createAudit({ engine, node: "keeper", keys: KEYS });
  const house = startHousekeeping({
    ...{ engine, audit, clock: () => Date.now() + 1_000 * DAY },
    log: { info: say, warn: say, error: say } as never,
    retention: { auditDays: 1, documentDays: 30 },
  });
  await house.run();
  await house.close();
  await audit.close();
  return said;
}

const firstOf = async (engine: Engine): Promise<number> =>
  (await engine.log.bounds("audit"))?.first ?? 0;

describe("with an archive, old records", () => {
  test("stay in the log until they are archived", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
    const isFull = { isNow: false };
    const held: Engine = {
      ...engine,
      kv: (bucket, options) => engine.kv(bucket, options),
      log: new Proxy(engine.log, {
        get: (log, name: keyof Engine["log"]) => {
          if (name === "bounds" && isFull.isNow) return () => Promise.reject(new Error("later"));
          const value = log[name];
          return typeof value === "function" ? value.bind(log) : value;
        },
      }),
    };
    const { archiver } = await openArchiver(held, archive);
    await record(engine, "n1", 60);
    const half = (await engine.log.bounds("audit"))?.last ?? 0;
    await expect.poll(() => archiver.state.place).toBe(half);
    await expect.poll(async () => (await slowestArchive(engine))?.place).toBe(half);
    isFull.isNow = true;
    await record(engine, "n1", 200);
    const steps = await stepsOf(engine.log);
    const said = await tidy(engine);
    expect(said.join()).toContain("has stopped. If it was removed for good, delete its key");
    const first = await firstOf(engine);
    expect(first).toBeGreaterThan(1);
    expect(first).toBeLessThanOrEqual(half + 1);
    isFull.isNow = false;
    const last = (await engine.log.bounds("audit"))?.last ?? 0;
    await expect
      .poll(async () => (await slowestArchive(engine))?.place, { timeout: 15_000 })
      .toBe(last);
    await tidy(engine);
    expect(await firstOf(engine)).toBeGreaterThan(half + 1);
    await archiver.close();
    // Records that were deleted from the log are in the archive.
    const archived = await lookInto(archive);
    expect(archived.steps.slice(0, steps.length)).toEqual(steps);
    expect(archived.found).toMatchObject({ ok: true, gaps: [] });
    await engine.close();
  });

  test("wait for the slowest of several archives", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
    const slow = await openArchiver(engine, join(folder, "slow"));
    await record(engine, "n1", 20);
    await slow.archiver.close();
    const place = (await slowestArchive(engine))?.place ?? 0;
    const quick = await openArchiver(engine, join(folder, "quick"));
    await record(engine, "n1", 200);
    await quick.archiver.close();
    await tidy(engine);
    expect(await firstOf(engine)).toBeLessThanOrEqual(place + 1);
    // It comes back, and misses nothing.
    const again = await openArchiver(engine, join(folder, "slow"));
    await again.archiver.close();
    expect((await lookInto(join(folder, "slow"))).steps).toEqual(
      expect.arrayContaining((await lookInto(join(folder, "quick"))).steps),
    );
    await engine.close();
  });
});
