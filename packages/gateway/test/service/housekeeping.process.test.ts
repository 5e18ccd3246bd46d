import { join } from "node:path";
import {
  createMemoryEngine,
  type Engine,
  openSqliteEngine,
  openSqliteReader,
} from "@vitrine/gateway/engine";
import { describe, expect, test, vi } from "vitest";
import { createAudit, HEADS_BUCKET, readAudit, verifyAudit } from "../../src/audit/index.ts";
import { type Retention, startHousekeeping } from "../../src/service/retention.ts";
import { testFolder } from "../engine/children/child.ts";
import { changeDatabase, queryValue } from "../engine/stored-database.ts";
import { collect, openServiceStage } from "./stage.ts";

const DAY = 24 * 60 * 60_000;
const KEYS = [{ id: "a1", secret: new Uint8Array(32).fill(3) }];
const log = { info: () => {}, warn: () => {}, error: (facts: unknown) => failures.push(facts) };
const failures: unknown[] = [];

/** A log of several files, of two lives. */
async function fill(engine: Engine): Promise<void> {
  for (const life of [1, 2]) {
    const audit = await createAudit({ engine, node: "n1", keys: KEYS });
    for (let n = 0; n < 400; n++) {
      audit.record({ event: "request", tool: `tool-${life}-${n}`, arguments: { n } });
      if (n % 10 === 0) await audit.flushed();
    }
    await audit.close();
  }
}

/** One round of the housekeeping, at some moment. */
async function keep(
  engine: Engine,
  retention: Partial<Retention>,
  now = Date.now(),
): Promise<void> {
  const audit = await createAudit({ engine, node: "n1", keys: KEYS });
  const options = { engine, audit, log, clock: () => now };
  const house = startHousekeeping({ ...options, retention: { documentDays: 30, ...retention } });
  await house.run();
  await house.close();
  await audit.close();
}

const verify = (engine: Engine) =>
  verifyAudit({ log: engine.log, heads: engine.kv(HEADS_BUCKET), keys: KEYS });

describe("the audit log", () => {
  test("deletes records older than keepDays, records that, and the rest verifies", async () => {
    const engine = await openSqliteEngine({ folder: await testFolder() });
    await fill(engine);
    const before = await engine.log.bytes?.("audit");
    await keep(engine, { auditDays: 2 }, Date.now() + DAY);
    expect((await engine.log.bounds("audit"))?.first).toBe(1);

    await keep(engine, { auditDays: 2 }, Date.now() + 3 * DAY);
    const { first = 0 } = (await engine.log.bounds("audit")) ?? {};
    expect(first).toBeGreaterThan(80);
    expect(await engine.log.bytes?.("audit")).toBeLessThan((before as number) / 2);
    const records = await collect(readAudit({ log: engine.log }));
    const trim = records.find(({ event }) => event === "operator");
    expect(trim?.detail).toEqual({ action: "trim", steps: first - 1, first });
    const found = await verify(engine);
    expect(found).toMatchObject({ ok: true, findings: [] });
    expect(found.gaps.map(({ kind }) => kind)).toContain("trimmed");
    expect(failures).toEqual([]);
    await engine.close();
  });

  test("keeps at most keepBytes, the newest records", async () => {
    const engine = await openSqliteEngine({ folder: await testFolder() });
    await fill(engine);
    const most = 60_000;
    expect(await engine.log.bytes?.("audit")).toBeGreaterThan(2 * most);
    await keep(engine, { auditBytes: most });
    // By whole files: the one that is cut into stays.
    expect(await engine.log.bytes?.("audit")).toBeLessThan(most + 2 * 16_384);
    const tools = (await collect(readAudit({ log: engine.log }))).map(({ tool }) => tool);
    expect(tools).toContain("tool-2-399");
    expect(tools).not.toContain("tool-1-0");
    expect(await verify(engine)).toMatchObject({ ok: true });
    await engine.close();
  });

  test("is kept completely by default, and one in memory is trimmed as well", async () => {
    const engine = createMemoryEngine();
    await fill(engine);
    await keep(engine, {}, Date.now() + 10_000 * DAY);
    expect((await engine.log.bounds("audit"))?.first).toBe(1);
    await keep(engine, { auditDays: 1 }, Date.now() + 2 * DAY);
    expect((await engine.log.bounds("audit"))?.first).toBeGreaterThan(80);
    expect(await verify(engine)).toMatchObject({ ok: true });
    await engine.close();
  });
});

test("a gateway deletes expired data when it starts", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 40 * DAY });
  const folder = await testFolder();
  const data = join(folder, "data");
  const before = await openSqliteEngine({ folder: data });
  await fill(before);
  await before.blob.put(new TextEncoder().encode("old"));
  await before.close();
  vi.useRealTimers();
  const engine = { driver: "sqlite", folder: "data" };
  await using stage = await openServiceStage({ engine, audit: { keepDays: 30 } }, { folder });
  await expect.poll(() => queryValue(data, "SELECT count(*) FROM blobs")).toBe(0);
  const { log } = openSqliteReader({ folder: data });
  expect((await log.bounds("audit"))?.first).toBeGreaterThan(80);
  await stage.service.close();
});

describe("documents of Views", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const makeOld = (folder: string): void =>
    changeDatabase(folder, `UPDATE blobs SET put_at = put_at - ${40 * DAY}`);

  test("are deleted if they weren't put for long, and putting one again keeps it", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    const [old, used] = [await engine.blob.put(bytes("old")), await engine.blob.put(bytes("used"))];
    makeOld(folder);
    await engine.blob.put(bytes("used"));
    await keep(engine, {});
    expect([await engine.blob.has(old), await engine.blob.has(used)]).toEqual([false, true]);
    // A deleted document can be stored again.
    expect(await engine.blob.put(bytes("old"))).toBe(old);
    expect(Buffer.from((await engine.blob.get(old)) ?? []).toString()).toBe("old");
    await engine.close();
  });

  test("exist after a put, even during housekeeping", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    const texts = Array.from({ length: 60 }, (_, n) => bytes(`document ${n}`));
    const hashes = await Promise.all(texts.map((text) => engine.blob.put(text)));
    for (let round = 0; round < 5; round++) {
      makeOld(folder);
      const sweeping = engine.blob.sweep?.(Date.now() - DAY);
      await Promise.all(texts.map((text) => engine.blob.put(text)));
      await sweeping;
      for (const hash of hashes) expect(await engine.blob.has(hash)).toBe(true);
    }
    await engine.close();
  });
});
