import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../src/service/command-line.ts";
import { commandOf, startChild, testFolder } from "../engine/children/child.ts";
import { changeDatabase, queryValue } from "../engine/stored-database.ts";
import { openServiceStage } from "./stage.ts";

const main = new URL("../../src/main.ts", import.meta.url);
const engine = { driver: "sqlite", folder: "data" };
const limits = { viewPerMinute: 60_000, userPerMinute: 60_000, serverPerMinute: 60_000 };

async function run(...argv: string[]): Promise<{ code: number | undefined; said: string }> {
  let said = "";
  const print = (text: string): void => {
    said += text;
  };
  const context = { environment: {}, out: print, err: print, onStart: () => {} };
  const code = await runCommand(argv, { ...context, signal: new AbortController().signal });
  return { code, said };
}

/** A gateway that has run, and a backup that was made while calls went through it. */
async function backedUp(): Promise<{ folder: string; config: string; data: string; file: string }> {
  const folder = await testFolder();
  const [config, data] = [join(folder, "gateway.yaml"), join(folder, "data")];
  const file = join(folder, "backup.db");
  await using stage = await openServiceStage({ engine, limits }, { folder });
  let isOver = false;
  let calls = 0;
  const load = Array.from({ length: 8 }, async () => {
    for (; !isOver; calls++) expect((await stage.post("tools/list")).status).toBe(200);
  });
  await expect.poll(() => calls).toBeGreaterThan(20);
  const before = calls;
  const child = startChild(commandOf(main, "backup", file, "--config", config));
  expect([await child.ended, child.errors.join("")]).toEqual([0, ""]);
  expect(calls).toBeGreaterThan(before);
  isOver = true;
  await Promise.all(load);
  const running = await run("restore", file, "--config", config);
  expect(running).toMatchObject({ code: 2, said: expect.stringContaining("is in use by process") });
  await stage.service.close();
  return { folder, config, data, file };
}

describe("a backup of a gateway under load", () => {
  test("is restored, its audit log verifies, and the gateway goes on", async () => {
    const { folder, config, data, file } = await backedUp();
    expect(await run("backup", file, "--config", config)).toMatchObject({
      code: 2,
      said: expect.stringContaining("exists already"),
    });
    const records = queryValue(data, "SELECT count(*) FROM audit");
    const generation = Number(queryValue(data, "SELECT generation FROM owner"));
    const epoch = "SELECT revision FROM kv_buckets WHERE bucket = 'audit-epochs'";
    const revision = Number(queryValue(data, epoch));
    const { code, said } = await run("restore", file, "--config", config);
    expect([code, said]).toEqual([0, expect.stringMatching(/Restored .* with \d+ audit records/)]);
    expect(queryValue(data, "SELECT count(*) FROM audit")).toBeLessThan(Number(records));
    // Numbers that were given since the backup aren't given again.
    expect(queryValue(data, "SELECT generation FROM owner")).toBeGreaterThan(generation);
    expect(queryValue(data, epoch)).toBeGreaterThan(revision);
    const kept = (await readdir(data)).filter((name) => name.includes("before-restore"));
    expect(kept).toEqual([expect.stringMatching(/^gateway\.db\.before-restore-[\dT-]+$/)]);
    expect(said).toContain(kept[0]);
    await using stage = await openServiceStage({ engine }, { folder });
    expect((await stage.post("tools/list")).status).toBe(200);
    await stage.service.close();
    const verified = await run("audit", "verify", "--config", config);
    expect(verified.said).not.toContain("WRONG");
    expect(verified.code).toBe(0);
  }, 60_000);

  test("takes the place of a damaged database, which is kept", async () => {
    const { folder, config, data, file } = await backedUp();
    await writeFile(join(data, "gateway.db"), "not a database at all".repeat(1_000));
    expect(await run("restore", file, "--config", config)).toMatchObject({ code: 0 });
    await using stage = await openServiceStage({ engine }, { folder });
    expect((await stage.post("tools/list")).status).toBe(200);
    await stage.service.close();
    expect((await readdir(data)).join()).toContain("before-restore");
  }, 60_000);

  test("isn't restored if it is damaged, from a newer version, or its audit log was changed", async () => {
    const { folder, config, data, file } = await backedUp();
    const spoilt = await testFolder();
    const copy = join(spoilt, "gateway.db");
    const bytes = await readFile(file);
    const before = queryValue(data, "SELECT count(*) FROM audit");
    const refuse = async (code: number, text: string): Promise<void> => {
      const answer = await run("restore", copy, "--config", config);
      expect(answer).toMatchObject({ code, said: expect.stringContaining(text) });
      expect(queryValue(data, "SELECT count(*) FROM audit")).toBe(before);
    };
    await writeFile(copy, bytes.fill(0x55, 8_192, bytes.length));
    await refuse(2, "is damaged");
    await writeFile(copy, await readFile(file));
    changeDatabase(spoilt, "PRAGMA user_version = 99");
    await refuse(2, "written by a newer version");
    changeDatabase(
      spoilt,
      "PRAGMA user_version = 1; UPDATE log SET text = replace(text, 'tools/list', 'tools/LIST')",
    );
    await refuse(1, "Use --force");
    expect(await run("restore", copy, "--config", config, "--force")).toMatchObject({ code: 0 });
    expect(await run("restore", join(folder, "no.db"), "--config", config)).toMatchObject({
      code: 2,
    });
  }, 60_000);
});

test("a backup of a folder can be restored into another one without a configuration", async () => {
  const folder = await testFolder();
  const [from, to, file] = [join(folder, "from"), join(folder, "to"), join(folder, "copy.db")];
  const opened = await openSqliteEngine({ folder: from });
  await opened.kv("grants", { durable: true }).put("a", Buffer.from("1"));
  expect(await run("backup", file, "--folder", from)).toMatchObject({ code: 0 });
  await opened.kv("grants").put("a", Buffer.from("2"));
  await opened.close();
  const empty = await run("restore", file, "--folder", to);
  // There is no audit log in it, which may have been removed.
  expect(empty).toMatchObject({ code: 1, said: expect.stringContaining("WRONG") });
  expect(await run("restore", file, "--folder", to, "--force")).toMatchObject({ code: 0 });
  const restored = await openSqliteEngine({ folder: to });
  expect(`${Buffer.from((await restored.kv("grants").get("a"))?.value ?? [])}`).toBe("1");
  await restored.close();
});
