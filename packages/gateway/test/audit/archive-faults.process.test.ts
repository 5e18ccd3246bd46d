import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createMemoryEngine, type Engine, openSqliteEngine } from "@vitrine/gateway/engine";
import { expect, onTestFinished, test, vi } from "vitest";
import { commandOf, startChild, testFolder } from "../engine/children/child.ts";
import { lookInto, openArchiver, record, stepsOf } from "./archive-stage.ts";

const archiving = new URL("./children/archiving.ts", import.meta.url);
// A mount of one's own needs root or user namespaces, which not every machine has.
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

/** More than goes into the archive below, however well it packs. */
async function fill(data: string): Promise<string[]> {
  const engine = await openSqliteEngine({ folder: data });
  for (let life = 0; life < 4; life++) await record(engine, `n${life}`, 600);
  const steps = await stepsOf(engine.log);
  await engine.close();
  return steps;
}

test.runIf(canMount)(
  "a full disk stops the archive, which reports it and stays intact",
  async () => {
    const folder = await testFolder();
    const [data, archive] = [join(folder, "data"), join(folder, "archive")];
    const steps = await fill(data);
    // The archive is looked into while the mount is there.
    const script = [
      'mkdir -p "$1" && mount -t tmpfs -o size=64k tmpfs "$1"',
      '"$@" & child=$!',
      'read _; kill -9 $child; mkdir "$0" && cp -r "$1"/. "$0"; echo copied; read _',
    ].join("\n");
    const copy = join(folder, "copy");
    const [node = "", ...args] = commandOf(archiving, archive, data);
    const child = startChild([
      ...["unshare", "-rm", "bash", "-c"],
      script.replaceAll('"$@"', `"$\{@:2}"`),
      ...[copy, archive, node, ...args],
    ]);
    await child.said("problem full");
    child.process.stdin?.write("\n");
    await child.said("copied");
    const held = await lookInto(copy);
    expect(held.steps.length).toBeGreaterThan(10);
    expect(held.steps).toEqual(steps.slice(0, held.steps.length));
    expect(held.steps.length).toBeLessThan(steps.length);
    // On a disk with room it goes on where it was.
    const engine = await openSqliteEngine({ folder: data });
    const { archiver } = await openArchiver(engine, copy);
    await archiver.close();
    const { steps: all, files, found } = await lookInto(copy);
    expect([all, files]).toEqual([steps, []]);
    expect(found).toMatchObject({ ok: true, records: 2_400 });
    await engine.close();
  },
  60_000,
);

test("a limit on the size of files cuts a batch in half, of which nothing is left", async () => {
  const folder = await testFolder();
  const [data, archive] = [join(folder, "data"), join(folder, "archive")];
  const steps = await fill(data);
  const child = startChild(commandOf(archiving, archive, data, "limited"));
  await child.said("ready");
  const limited = spawnSync("prlimit", [`--pid=${child.process.pid}`, "--fsize=20480:20480"]);
  expect(limited.status).toBe(0);
  child.process.stdin?.write("start\n");
  await child.said("problem full");
  child.process.kill("SIGKILL");
  await child.ended;
  const before = await lookInto(archive);
  expect(before.steps).toEqual(steps.slice(0, before.steps.length));
  const engine = await openSqliteEngine({ folder: data });
  const { archiver } = await openArchiver(engine, archive);
  await archiver.close();
  const { steps: all, files } = await lookInto(archive);
  expect([all, files]).toEqual([steps, []]);
  await engine.close();
}, 60_000);

/** Lets syncs of any file fail as on a broken or full disk, as long as `isBroken` returns true. */
async function breakSyncs(code: string, isBroken: () => boolean): Promise<() => void> {
  const { open } = await import("node:fs/promises");
  const handle = await open("/dev/null", "r");
  const prototype = Object.getPrototypeOf(handle) as { datasync(): Promise<void> };
  await handle.close();
  const sync = prototype.datasync;
  const spy = vi.spyOn(prototype, "datasync").mockImplementation(async function (this: unknown) {
    if (isBroken()) throw Object.assign(new Error(`${code}: sync`), { code });
    await sync.call(this as never);
  });
  return () => spy.mockRestore();
}

test.each(["ENOSPC", "EIO"])(
  "reports nothing as archived while syncs fail with %s, and archives it once afterwards",
  async (code) => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine: Engine = createMemoryEngine();
    const { archiver, said } = await openArchiver(engine, archive);
    await record(engine, "n1", 30);
    const first = (await engine.log.bounds("audit"))?.last;
    await expect.poll(() => archiver.state.place).toBe(first);
    let isBroken = true;
    const restore = await breakSyncs(code, () => isBroken);
    onTestFinished(restore);
    await record(engine, "n1", 30);
    await expect.poll(() => said.problems.length).toBeGreaterThan(0);
    expect(said.problems[0]).toContain(code);
    expect(archiver.state).toMatchObject({ place: first, problem: expect.any(Error) });
    await expect.poll(() => archiver.state.lag.records).toBeGreaterThan(0);
    isBroken = false;
    const last = (await engine.log.bounds("audit"))?.last;
    await expect.poll(() => archiver.state.place, { timeout: 15_000 }).toBe(last);
    await expect.poll(() => said.problems.at(-1)).toBe(undefined);
    restore();
    await archiver.close();
    const { steps, files, found } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    expect(found).toMatchObject({ ok: true, records: 60 });
  },
);

const KILLS = 8;
test(`after ${KILLS} kills at any moment the archive is the log: nothing lost, nothing twice`, {
  timeout: 120_000,
}, async () => {
  const folder = await testFolder();
  const [data, archive] = [join(folder, "data"), join(folder, "archive")];
  const steps = await fill(data);
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startChild(commandOf(archiving, archive, data));
    await child.said("writing ");
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 40));
    child.process.kill("SIGKILL");
    await child.ended;
    // Read as it is left, it is the beginning of the log.
    const left = await lookInto(archive);
    expect(left.steps).toEqual(steps.slice(0, left.steps.length));
  }
  const engine = await openSqliteEngine({ folder: data });
  const { archiver } = await openArchiver(engine, archive);
  await archiver.close();
  const { steps: all, files, found } = await lookInto(archive);
  expect([all, files]).toEqual([steps, []]);
  expect(found).toMatchObject({ ok: true, gaps: [] });
  await engine.close();
});
