import { spawnSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { type Child, commandOf, startChild, testFolder } from "./children/child.ts";

const opener = new URL("./children/opener.ts", import.meta.url);
// A mount needs root or user namespaces, which not every machine has.
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

const answerOf = ({ said }: Child): Promise<string> =>
  Promise.race([said("open"), said("refused locked")]);

async function textsOf(folder: string): Promise<string[]> {
  const engine = await openSqliteEngine({ folder });
  const texts: string[] = [];
  for await (const { record } of engine.log.read("audit")) texts.push(`${Buffer.from(record)}`);
  await engine.close();
  return texts;
}

/** A command that runs where the lock isn't shared and the boot id is another: as on a second machine. */
async function onAnotherMachine(folder: string, command: string[]): Promise<string[]> {
  const lock = join(await testFolder(), "owner.lock");
  const boot = join(await testFolder(), "boot_id");
  await writeFile(lock, "");
  await writeFile(boot, "another-boot\n");
  const mounts = [
    `mount --bind ${lock} ${join(folder, "owner.lock")}`,
    `mount --bind ${boot} /proc/sys/kernel/random/boot_id`,
    'exec "$@"',
  ];
  return ["unshare", "-rm", "sh", "-c", mounts.join(" && "), "sh", ...command];
}

test("a folder belongs to one process at a time, and to one engine in it", async () => {
  const folder = await testFolder();
  const child = startChild(commandOf(opener, folder));
  await child.said("open");
  const refused = await openSqliteEngine({ folder }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "locked" });
  expect(String(refused)).toContain(`in use by process ${child.process.pid} on`);
  child.process.stdin?.end();
  expect(await child.ended).toBe(0);
  const engine = await openSqliteEngine({ folder });
  await expect(openSqliteEngine({ folder })).rejects.toMatchObject({ code: "locked" });
  await engine.close();
  expect((await readdir(folder)).sort()).toEqual(["gateway.db", "owner.lock", "reserve"]);
}, 30_000);

test("of several processes that find a dead owner, one takes the folder", async () => {
  const folder = await testFolder();
  const dead = startChild(commandOf(opener, folder));
  await dead.said("open");
  dead.process.kill("SIGKILL");
  await dead.ended;
  const children = Array.from({ length: 4 }, () => startChild(commandOf(opener, folder)));
  const said = await Promise.all(children.map(answerOf));
  expect(said.filter((line) => line === "open")).toHaveLength(1);
  for (const child of children) child.process.stdin?.end();
  await Promise.all(children.map(({ ended }) => ended));
}, 60_000);

test("a stopped process keeps its folder on this machine, and goes on when it's continued", async () => {
  const folder = await testFolder();
  const owner = startChild(commandOf(opener, folder));
  await owner.said("open");
  owner.process.kill("SIGSTOP");
  await expect(openSqliteEngine({ folder })).rejects.toMatchObject({ code: "locked" });
  owner.process.kill("SIGCONT");
  owner.process.stdin?.write("append after\n");
  expect(await owner.said("appended")).toBe("appended after");
  owner.process.stdin?.end();
  await owner.ended;
  expect(await textsOf(folder)).toEqual(["after"]);
}, 30_000);

test.runIf(canMount)(
  "a process on another machine is rejected while the owner renews its heartbeat (O3)",
  async () => {
    const folder = await testFolder();
    const owner = startChild(commandOf(opener, folder));
    await owner.said("open");
    const other = startChild(await onAnotherMachine(folder, commandOf(opener, folder)));
    expect(await answerOf(other)).toContain(`process ${owner.process.pid} on`);
    owner.process.stdin?.write("append still-here\n");
    await owner.said("appended");
    owner.process.stdin?.end();
    await owner.ended;
    expect(await textsOf(folder)).toEqual(["still-here"]);
  },
  30_000,
);

test.runIf(canMount)(
  "an owner that stalled commits nothing after another machine took over (O3)",
  async () => {
    const folder = await testFolder();
    const owner = startChild(commandOf(opener, folder));
    await owner.said("open");
    owner.process.stdin?.write("append before\n");
    await owner.said("appended before");
    owner.process.kill("SIGSTOP");
    const other = startChild(await onAnotherMachine(folder, commandOf(opener, folder)));
    expect(await answerOf(other)).toBe("open");
    other.process.stdin?.write("append new-owner\n");
    await other.said("appended new-owner");
    owner.process.kill("SIGCONT");
    owner.process.stdin?.write("append stale\n");
    expect(await owner.said("failed")).toMatch(/^failed stale locked .*taken over by process/);
    expect(await owner.said("notice lost")).toBe("notice lost");
    // What it reads after that is also nothing of its own.
    owner.process.stdin?.end();
    await owner.ended;
    other.process.stdin?.write("append goes-on\n");
    await other.said("appended goes-on");
    other.process.stdin?.end();
    await other.ended;
    expect(await textsOf(folder)).toEqual(["before", "new-owner", "goes-on"]);
  },
  60_000,
);

test("a database whose owner row was removed or changed takes no more writes from the old owner", async () => {
  const folder = await testFolder();
  const notices: string[] = [];
  const engine = await openSqliteEngine({ folder, onNotice: ({ kind }) => notices.push(kind) });
  await engine.kv("grants", { durable: true }).put("a", Buffer.from("1"));
  const database = new DatabaseSync(join(folder, "gateway.db"));
  database.exec("UPDATE owner SET generation = generation + 1");
  database.close();
  const grants = engine.kv("grants");
  await expect(grants.put("a", Buffer.from("2"))).rejects.toMatchObject({ code: "locked" });
  await expect(grants.put("b", Buffer.from("3"))).rejects.toMatchObject({ code: "locked" });
  expect(notices).toEqual(["lost"]);
  await engine.close();
  const again = await openSqliteEngine({ folder });
  expect(`${Buffer.from((await again.kv("grants").get("a"))?.value ?? [])}`).toBe("1");
  await again.close();
});
