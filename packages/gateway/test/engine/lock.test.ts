import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFileEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { commandOf, startChild, testFolder } from "./children/child.ts";

const opener = new URL("./children/opener.ts", import.meta.url);

async function lockOf(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, "lock"), "utf8"));
}

test("a folder belongs to one process at a time, and to one engine of it", async () => {
  const folder = await testFolder();
  const child = startChild(commandOf(opener, folder));
  await child.said("open");
  const refused = await openFileEngine({ folder }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "locked" });
  expect(String(refused)).toContain(`held by process ${child.process.pid}; end it`);
  child.process.stdin?.end();
  expect(await child.ended).toBe(0);
  const engine = await openFileEngine({ folder });
  await expect(openFileEngine({ folder })).rejects.toMatchObject({ code: "locked" });
  await engine.close();
  expect((await readdir(folder)).sort()).toEqual(["blob", "generation", "kv", "log"]);
}, 30_000);

test("of several who find the lock of a dead process, one takes the folder", async () => {
  const folder = await testFolder();
  const dead = startChild(commandOf(opener, folder));
  await dead.said("open");
  dead.process.kill("SIGKILL");
  await dead.ended;
  expect((await lockOf(folder)).pid).toBe(dead.process.pid);
  const children = Array.from({ length: 4 }, () => startChild(commandOf(opener, folder)));
  const said = await Promise.all(
    children.map(({ said }) => Promise.race([said("open"), said("refused locked")])),
  );
  expect(said.filter((line) => line === "open")).toHaveLength(1);
  for (const child of children) child.process.stdin?.end();
  await Promise.all(children.map(({ ended }) => ended));
}, 60_000);

test("a pid that is used again is not the process that had the folder", async () => {
  const folder = await testFolder();
  const engine = await openFileEngine({ folder });
  const lock = await lockOf(folder);
  await engine.close();
  // As in a container, where the gateway is always process 1.
  const notices: string[] = [];
  for (const other of [{ started: "1" }, { boot: "before the restart\n" }]) {
    await writeFile(join(folder, "lock"), JSON.stringify({ ...lock, ...other }));
    const again = await openFileEngine({ folder, onNotice: ({ kind }) => notices.push(kind) });
    await again.close();
  }
  expect(notices).toEqual(["stale-lock", "stale-lock"]);
});

test("a lock from another pid namespace holds as long as it is touched", async () => {
  const folder = await testFolder();
  const path = join(folder, "lock");
  const engine = await openFileEngine({ folder });
  const lock = await lockOf(folder);
  const before = (await stat(path)).mtimeMs;
  await new Promise((resolve) => setTimeout(resolve, 2_300));
  expect((await stat(path)).mtimeMs).toBeGreaterThan(before);
  await engine.close();
  const foreign = JSON.stringify({ ...lock, pid: 1, namespace: "pid:[1]" });
  await writeFile(path, foreign);
  const opening = openFileEngine({ folder });
  const early = await Promise.race([
    opening.then(() => "open"),
    new Promise((resolve) => setTimeout(() => resolve("waits"), 500)),
  ]);
  expect(early).toBe("waits");
  const longAgo = new Date(Date.now() - 11_000);
  await utimes(path, longAgo, longAgo);
  await (await opening).close();
}, 20_000);

test("a lock that nobody can read is left alone", async () => {
  const folder = await testFolder();
  await writeFile(join(folder, "lock"), "not ours");
  const refused = await openFileEngine({ folder }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "locked" });
  expect(String(refused)).toContain("remove it if no gateway runs");
  await rm(join(folder, "lock"));
  await (await openFileEngine({ folder })).close();
});
