// The log with a spool on disk: an engine outage blocks no append, and no record is lost or duplicated.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesOf, textOf } from "@vitrine/internal/engine-trial";
import { expect, onTestFinished, test } from "vitest";
import type { Engine, Log } from "../../gateway/src/engine/engine.ts";
import {
  createMemoryEngine,
  EngineError,
  openSqliteEngine,
} from "../../gateway/src/engine/index.ts";
import { until } from "../../gateway/test/upstreams/calls.ts";
import { openSpooledEngine } from "../src/spool/spooled-engine.ts";

/** An engine whose log can be down, or can append without acknowledging it. */
function fickle(engine: Engine): { engine: Engine; mode: "well" | "away" | "silent" } {
  const state = { mode: "well" as "well" | "away" | "silent", engine };
  const append: Log["append"] = async (...args) => {
    if (state.mode === "away") throw new EngineError("unavailable", "Away.");
    const done = await engine.log.append(...args);
    if (state.mode === "silent") throw new EngineError("timeout", "No answer.");
    return done;
  };
  const { log } = engine;
  const reading = {
    read: log.read.bind(log),
    bounds: log.bounds.bind(log),
    trim: log.trim.bind(log),
  };
  state.engine = { ...engine, log: { ...reading, append } };
  return state;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "vitrine-spool-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function textsOf(engine: Engine): Promise<string[]> {
  const texts: string[] = [];
  for await (const { record } of engine.log.read("audit")) texts.push(textOf(record) as string);
  return texts;
}

const open = async (remote: Engine, path: string): Promise<Engine> =>
  openSpooledEngine(remote, { local: await openSqliteEngine({ folder: path }) }, ["audit"]);

test("forwards appended batches to the engine, complete and in order", async () => {
  const remote = createMemoryEngine();
  const spooled = await open(remote, await folder());
  const names = Array.from({ length: 50 }, (_, n) => `record-${n}`);
  for (const name of names)
    await spooled.log.append("audit", [bytesOf(name), bytesOf("")], { id: name });
  await until(async () => (await textsOf(remote)).length === 100);
  expect((await textsOf(remote)).filter(Boolean)).toEqual(names);
  await spooled.close();
});

test("appends during an outage of the engine, and forwards everything afterwards", async () => {
  const state = fickle(createMemoryEngine());
  const spooled = await open(state.engine, await folder());
  state.mode = "away";
  for (let n = 0; n < 20; n++) await spooled.log.append("audit", [bytesOf(`${n}`)], { id: `${n}` });
  expect(await textsOf(state.engine)).toEqual([]);
  state.mode = "well";
  await until(async () => (await textsOf(state.engine)).length === 20, 15_000);
  expect(await textsOf(state.engine)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
  await spooled.close();
});

test("forwards what an earlier process left before anything else", async () => {
  const state = fickle(createMemoryEngine());
  const path = await folder();
  const before = await open(state.engine, path);
  await before.log.append("audit", [bytesOf("passed on")], { id: "a" });
  await until(async () => (await textsOf(state.engine)).length === 1);
  state.mode = "away";
  await before.log.append("audit", [bytesOf("left")], { id: "b" });
  await before.close();
  state.mode = "well";
  const after = await open(state.engine, path);
  expect(await textsOf(state.engine)).toEqual(["passed on", "left"]);
  await after.close();
});

test("doesn't duplicate a batch whose acknowledgement was lost, even if the engine forgot its id", async () => {
  const state = fickle(createMemoryEngine({ dedupeTime: 1 }));
  const path = await folder();
  const before = await open(state.engine, path);
  state.mode = "silent";
  await before.log.append("audit", [bytesOf("once")], { id: "a" });
  await until(async () => (await textsOf(state.engine)).length > 0);
  await before.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  state.mode = "well";
  const after = await open(state.engine, path);
  await after.log.append("audit", [bytesOf("twice")], { id: "b" });
  await until(async () => (await textsOf(state.engine)).includes("twice"));
  expect(await textsOf(state.engine)).toEqual(["once", "twice"]);
  await after.close();
});

test("searches for a batch before it appends again after a long outage", async () => {
  const state = fickle(createMemoryEngine({ dedupeTime: 1 }));
  const spooled = await open(state.engine, await folder());
  state.mode = "silent";
  await spooled.log.append("audit", [bytesOf("once")], { id: "a" });
  await until(async () => (await textsOf(state.engine)).length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  state.mode = "well";
  await spooled.log.append("audit", [bytesOf("next")], { id: "b" });
  await until(async () => (await textsOf(state.engine)).includes("next"), 15_000);
  expect(await textsOf(state.engine)).toEqual(["once", "next"]);
  await spooled.close();
});

test("passes other partitions and all other operations to the engine", async () => {
  const remote = createMemoryEngine();
  const spooled = await open(remote, await folder());
  const { first } = await spooled.log.append("other", [bytesOf("x")]);
  expect(first).toBe((await remote.log.bounds("other"))?.first);
  await spooled.kv("grants").put("a", bytesOf("1"));
  expect(textOf((await remote.kv("grants").get("a"))?.value)).toBe("1");
  await spooled.close();
});

test("doesn't mix the records of two logs (O6)", async () => {
  const remote = createMemoryEngine();
  const path = await folder();
  const openFor = async (engine: Engine, logId: string): Promise<Engine> => {
    const local = await openSqliteEngine({ folder: path });
    return openSpooledEngine(engine, { local, logId }, ["audit"]).catch(async (error: unknown) => {
      await local.close();
      throw error;
    });
  };
  const first = await openFor(remote, "first");
  await first.log.append("audit", [bytesOf("one")], { id: "one" });
  await until(async () => (await textsOf(remote)).length === 1);
  await first.close();

  // Everything was forwarded, so the folder can be used for another log.
  const away = fickle(createMemoryEngine());
  const second = await openFor(away.engine, "second");
  away.mode = "away";
  await second.log.append("audit", [bytesOf("two")], { id: "two" });
  await second.close();

  // Now it has a record of the second log, which no other log gets.
  await expect(openFor(remote, "first")).rejects.toThrow(
    "records that belong to the audit log second, but the engine holds the log first",
  );
  away.mode = "well";
  const again = await openFor(away.engine, "second");
  expect([await textsOf(away.engine), await textsOf(remote)]).toEqual([["two"], ["one"]]);
  await again.close();
});
