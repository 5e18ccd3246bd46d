import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, openFileEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { createAudit, HEADS_BUCKET, readAudit, verifyAudit } from "../../src/audit/index.ts";
import { testFolder } from "../engine/children/child.ts";
import { collect } from "../operate/stage.ts";

const KEY = new Uint8Array(32).fill(5);

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

describe("records that were written down and not stored", () => {
  test("are recorded at the next start, once, marked, and the chain verifies", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder });
    const journal = join(folder, "journal");
    const dying = deaf(engine);
    const before = await createAudit({ engine: dying.engine, node: "n1", key: KEY, journal });
    before.record({ event: "request", tool: "stored" });
    await before.flushed();
    dying.end();
    before.record({ event: "request", tool: "left-1", arguments: { text: "ö\n" } });
    before.record({ event: "answer", tool: "left-2" });

    // Not closed: that life is over without another word.
    let after = await createAudit({ engine, node: "n1", key: KEY, journal });
    await after.flushed();
    expect(await tools(engine)).toEqual(["stored", "left-1 recovered", "left-2 recovered"]);
    const records = await collect(readAudit({ log: engine.log }));
    expect(records[1]).toMatchObject({ sequence: 1, recovered: { epoch: 1, sequence: 2 } });
    await after.close();
    after = await createAudit({ engine, node: "n1", key: KEY, journal });
    after.record({ event: "request", tool: "later" });
    await after.close();
    expect(await tools(engine)).toEqual([
      ...["stored", "left-1 recovered", "left-2 recovered"],
      "later",
    ]);
    const heads = engine.kv(HEADS_BUCKET);
    expect(await verifyAudit({ log: engine.log, heads, key: KEY })).toMatchObject({ ok: true });
    await engine.close();
  });

  test("survive a second end before they were stored", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder });
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

  test("are not needed after a good end, and half a line at the end does no harm", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder });
    const path = join(folder, "journal");
    const audit = await createAudit({ engine, node: "n1", journal: path });
    audit.record({ event: "request", tool: "a" });
    await audit.close();
    for (const part of ["a", "b"]) expect((await stat(`${path}-${part}`)).size).toBe(0);
    const dying = deaf(engine);
    const next = await createAudit({ engine: dying.engine, node: "n1", journal: path });
    dying.end();
    next.record({ event: "request", tool: "whole" });
    next.record({ event: "request", tool: "torn" });
    for (const part of ["a", "b"]) {
      const { size } = await stat(`${path}-${part}`);
      if (size > 0) await truncate(`${path}-${part}`, size - 5);
    }
    await (await createAudit({ engine, node: "n1", journal: path })).close();
    expect(await tools(engine)).toEqual(["a", "whole recovered"]);
    await engine.close();
  });

  test("take no more room than what is not stored", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder });
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
});
