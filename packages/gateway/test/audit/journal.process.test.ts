import { copyFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, openSqliteEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { createAudit, HEADS_BUCKET, readAudit, verifyAudit } from "../../src/audit/index.ts";
import { type Journal, openJournal, renumber } from "../../src/audit/journal.ts";
import { testFolder } from "../engine/children/child.ts";
import { collect } from "../service/stage.ts";

const KEYS = [{ id: "a1", secret: new Uint8Array(32).fill(5) }];

/** An engine whose log takes nothing from some moment on, as if the process had ended there. */
function deaf(engine: Engine): { engine: Engine; end(): void } {
  let isOver = false;
  const append: Engine["log"]["append"] = (...given) =>
    isOver ? new Promise(() => {}) : engine.log.append(...given);
  const log = new Proxy(engine.log, {
    get: (target, name) => {
      if (name === "append") return append;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const end = (): void => {
    isOver = true;
  };
  return { engine: { ...engine, log }, end };
}

const tools = async (engine: Engine) => {
  const records = await collect(readAudit({ log: engine.log }));
  return records.map(({ tool, recovered }) => `${tool}${recovered ? " recovered" : ""}`);
};

/** Numbers that look random, and are the same in each run. */
function numbersFrom(seed: number): (most: number) => number {
  let random = seed;
  return (most) => {
    random = (random * 48_271) % 2_147_483_647;
    return random % most;
  };
}

/** Some records, some of them together, and the log comes a bit further. */
function liveOneTurn(
  journal: Journal,
  count: { taken: number; stored: number },
  upTo: (most: number) => number,
): void {
  for (let n = upTo(12); n >= 0; n--) {
    count.taken += 1;
    const line = JSON.stringify({ sequence: count.taken, text: "x".repeat(upTo(3000)) });
    journal.add(line, count.taken);
  }
  if (upTo(3) === 0) count.stored += upTo(count.taken - count.stored + 1);
  journal.settle(count.stored);
}

/** What a process would find that starts now. */
async function expectLeft(
  path: string,
  { life, taken, stored }: { life: number; taken: number; stored: number },
): Promise<void> {
  for (const part of ["a", "b"]) await copyFile(`${path}-${part}`, `${path}-copy-${part}`);
  const found = openJournal(`${path}-copy`);
  const left = renumber(found.left, new Map([[life, stored]]), 1);
  const numbers = left.map((text) => JSON.parse(text).recovered.sequence as number);
  expect(numbers).toEqual(Array.from({ length: taken - stored }, (_, n) => stored + 1 + n));
  found.close({ isStored: false });
}

describe("records in the journal that weren't stored", () => {
  test("are recorded once at the next start and marked, and the chain verifies", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    const journal = join(folder, "journal");
    const dying = deaf(engine);
    const before = await createAudit({ engine: dying.engine, node: "n1", keys: KEYS, journal });
    before.record({ event: "request", tool: "stored" });
    await before.flushed();
    dying.end();
    before.record({ event: "request", tool: "left-1", arguments: { text: "ö\n" } });
    before.record({ event: "answer", tool: "left-2" });
    await before.hold();

    // Not closed: that life is over without another word.
    let after = await createAudit({ engine, node: "n1", keys: KEYS, journal });
    await after.flushed();
    expect(await tools(engine)).toEqual(["stored", "left-1 recovered", "left-2 recovered"]);
    const records = await collect(readAudit({ log: engine.log }));
    expect(records[1]).toMatchObject({ sequence: 1, recovered: { epoch: 1, sequence: 2 } });
    await after.close();
    after = await createAudit({ engine, node: "n1", keys: KEYS, journal });
    after.record({ event: "request", tool: "later" });
    await after.close();
    expect(await tools(engine)).toEqual([
      ...["stored", "left-1 recovered", "left-2 recovered"],
      "later",
    ]);
    const heads = engine.kv(HEADS_BUCKET);
    expect(await verifyAudit({ log: engine.log, heads, keys: KEYS })).toMatchObject({ ok: true });
    await engine.close();
  });

  test("survive a second kill before they were stored", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    const journal = join(folder, "journal");
    for (const tool of ["first", "second", "third"]) {
      const dying = deaf(engine);
      const audit = await createAudit({ engine: dying.engine, node: "n1", journal });
      dying.end();
      audit.record({ event: "request", tool });
    }
    const last = await createAudit({ engine, node: "n1", journal });
    await last.close();
    expect(await tools(engine)).toEqual(["first recovered", "second recovered", "third recovered"]);
    await engine.close();
  });

  test("aren't needed after an orderly end, and half a line does no harm", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    const path = join(folder, "journal");
    const audit = await createAudit({ engine, node: "n1", journal: path });
    audit.record({ event: "request", tool: "a" });
    await audit.close();
    for (const part of ["a", "b"]) expect((await stat(`${path}-${part}`)).size).toBe(0);
    const dying = deaf(engine);
    const next = await createAudit({ engine: dying.engine, node: "n1", journal: path });
    dying.end();
    next.record({ event: "request", tool: "whole" });
    await next.hold();
    next.record({ event: "request", tool: "torn" });
    await next.hold();
    for (const part of ["a", "b"]) {
      const { size } = await stat(`${path}-${part}`);
      if (size > 0) await truncate(`${path}-${part}`, size - 5);
    }
    await (await createAudit({ engine, node: "n1", journal: path })).close();
    expect(await tools(engine)).toEqual(["a", "whole recovered"]);
    await engine.close();
  });

  test("use no more space than the unstored records need", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    const path = join(folder, "journal");
    const audit = await createAudit({ engine, node: "n1", level: "full", journal: path });
    let largest = 0;
    for (let n = 0; n < 2000; n++) {
      audit.record({ event: "request", tool: `t${n}`, arguments: { text: "word ".repeat(40) } });
      if (n % 50 > 0) continue;
      await audit.flushed();
      const sizes = await Promise.all(["a", "b"].map((part) => stat(`${path}-${part}`)));
      largest = Math.max(largest, ...sizes.map(({ size }) => size));
    }
    expect(largest).toBeLessThan(256 * 1024);
    await audit.close();
    expect((await tools(engine)).length).toBe(2000);
    await engine.close();
  });

  test("are complete and in order, whenever the process was killed", async () => {
    const folder = await testFolder();
    const path = join(folder, "journal");
    const upTo = numbersFrom(7);
    let count = { taken: 0, stored: 0 };
    for (let life = 1; life <= 6; life++) {
      // The one before was killed: nothing was closed.
      const journal = openJournal(path);
      const carried = renumber(journal.left, new Map([[life - 1, count.stored]]), 1);
      expect(carried.length).toBe(count.taken - count.stored);
      journal.begin({ node: "n1", epoch: life }, carried);
      count = { taken: carried.length, stored: 0 };
      for (let turn = 0; turn < 150; turn++) {
        liveOneTurn(journal, count, upTo);
        if (upTo(20) === 0) await expectLeft(path, { life, ...count });
      }
    }
    expect(count.taken).toBeGreaterThan(500);
  });
});
