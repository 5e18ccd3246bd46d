import { spawnSync } from "node:child_process";
import { readdir, readFile, readlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Engine, openSqliteEngine, openSqliteReader } from "@vitrine/gateway/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { testFolder } from "./children/child.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString();

async function recordsOf(engine: Pick<Engine, "log">): Promise<string[]> {
  const texts: string[] = [];
  for await (const { record } of engine.log.read("audit")) texts.push(textOf(record));
  return texts;
}

/** Copies a folder with another process: closing a file here would release SQLite's locks on it. */
function copyFolder(from: string, to: string): void {
  expect(spawnSync("cp", ["-r", from, to]).status).toBe(0);
}

test("a WAL that was cut anywhere keeps a beginning of what was written, in order", async () => {
  const folder = await testFolder();
  const original = join(folder, "original");
  const engine = await openSqliteEngine({ folder: original, reserveBytes: 0 });
  const grants = engine.kv("grants", { durable: true });
  for (let n = 0; n < 12; n++) {
    await grants.put("n", bytes(String(n)));
    await engine.log.append("audit", [bytes(`${n}`), bytes("x".repeat(n * 5))], { id: `id-${n}` });
  }
  // While it's open: as a crash leaves it.
  copyFolder(original, join(folder, "crashed"));
  await engine.close();
  const wal = join("crashed", "gateway.db-wal");
  const { length } = await readFile(join(folder, wal));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(length), async (cut) => {
      const copy = join(folder, `copy-${run++}`);
      copyFolder(join(folder, "crashed"), copy);
      await truncate(join(copy, "gateway.db-wal"), cut);
      const again = await openSqliteEngine({ folder: copy, reserveBytes: 0 });
      const records = await recordsOf(again);
      expect(records.length % 2).toBe(0);
      const count = records.length / 2;
      expect(records).toEqual(
        Array.from({ length: count }, (_, n) => [`${n}`, "x".repeat(n * 5)]).flat(),
      );
      const value = await again.kv("grants", { durable: true }).get("n");
      if (value) expect(Number(textOf(value.value))).toBe(value.revision - 1);
      // It goes on from there, and a batch whose answer got lost can be appended again.
      const { first } = await again.log.append("audit", [bytes("new")], { id: "new" });
      expect(first).toBe(records.length + 1);
      if (count > 0) {
        const known = await again.log.append("audit", [bytes("?")], { id: `id-${count - 1}` });
        expect(known.duplicate).toBe(true);
      }
      await again.close();
    }),
    { numRuns: 25 },
  );
}, 120_000);

/** A closed database with some contents. */
async function writtenFolder(): Promise<{ folder: string; path: string }> {
  const folder = await testFolder();
  const engine = await openSqliteEngine({ folder });
  for (let n = 0; n < 10; n++) {
    await engine.kv("grants", { durable: true }).put(`key-${n}`, bytes(`value number ${n}`));
    await engine.log.append("audit", [bytes(`${n} ${"x".repeat(1_000)}`)]);
  }
  await engine.close();
  return { folder, path: join(folder, "gateway.db") };
}

/** Changes a text in a closed database, as a failing disk does. */
async function damage(path: string, from: string, to: string): Promise<void> {
  const file = await readFile(path);
  const at = file.indexOf(from);
  expect(at).toBeGreaterThan(0);
  file.write(to, at);
  await writeFile(path, file);
}

/** The files of a folder that this process has open. */
async function openFiles(folder: string): Promise<string[]> {
  const numbers = await readdir("/proc/self/fd").catch(() => []);
  const paths = await Promise.all(
    numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => "")),
  );
  return paths.filter((path) => path.startsWith(folder));
}

test("a changed byte in a key stops the start, and the error names the file and the key", async () => {
  const { folder, path } = await writtenFolder();
  await damage(path, "value number 7", "value number X");
  const error = await openSqliteEngine({ folder }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "corrupt" });
  expect(String(error)).toContain(`${path} is damaged: the key "key-7" of "grants"`);
  expect(String(error)).toContain("vitrine gateway restore");
  // Nothing stays open, and the folder is free again: the operator repairs it and starts once more.
  expect(await openFiles(folder)).toEqual([]);
  await damage(path, "key-7", "key-x");
  await expect(openSqliteEngine({ folder })).rejects.toMatchObject({ code: "corrupt" });
  await damage(path, "key-x", "key-7");
  await damage(path, "value number X", "value number 7");
  const engine = await openSqliteEngine({ folder });
  expect(await openFiles(folder)).not.toEqual([]);
  await engine.close();
  expect(await openFiles(folder)).toEqual([]);
});

test("a damaged header, a cut file and damaged pages are errors, never missing data", async () => {
  for (const spoil of [
    (file: Buffer) => file.fill(0x55, 0, 100),
    (file: Buffer) => file.subarray(0, 8_000),
    (file: Buffer) => file.fill(0x55, 4_096, file.length),
  ]) {
    const { folder, path } = await writtenFolder();
    await writeFile(path, spoil(await readFile(path)));
    await expect(openSqliteEngine({ folder })).rejects.toMatchObject({ code: "corrupt" });
    expect(await openFiles(folder)).toEqual([]);
  }
});

test("a database of a newer version, or of another program, is rejected", async () => {
  const { folder, path } = await writtenFolder();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 99");
  const newer = await openSqliteEngine({ folder }).catch((thrown: unknown) => thrown);
  expect(newer).toMatchObject({ code: "newer-schema" });
  expect(String(newer)).toMatch(/newer version \(schema 99.*Upgrade/);
  expect(() => openSqliteReader({ folder })).toThrow("newer version");
  database.exec("PRAGMA user_version = 1; PRAGMA application_id = 7");
  database.close();
  await expect(openSqliteEngine({ folder })).rejects.toMatchObject({ code: "invalid" });
});

test("a blob whose bytes changed isn't returned", async () => {
  const folder = await testFolder();
  let engine = await openSqliteEngine({ folder });
  const hash = await engine.blob.put(bytes("<h1>hello</h1>"));
  await engine.close();
  await damage(join(folder, "gateway.db"), "<h1>hello</h1>", "<h1>hallo</h1>");
  engine = await openSqliteEngine({ folder });
  await expect(engine.blob.get(hash)).rejects.toMatchObject({ code: "corrupt" });
  await engine.close();
});

test("a revision isn't given again after the last key of a bucket was deleted", async () => {
  const folder = await testFolder();
  let engine = await openSqliteEngine({ folder });
  const leases = engine.kv("leases", { durable: true });
  const revision = await leases.put("lease", bytes("1"));
  await leases.delete("lease");
  await engine.close();
  engine = await openSqliteEngine({ folder });
  expect(await engine.kv("leases").create("lease", bytes(""))).toBeGreaterThan(revision + 1);
  await engine.close();
});

test("a key that expired while the engine was closed is gone, and others keep their time", async () => {
  const folder = await testFolder();
  let engine = await openSqliteEngine({ folder });
  await engine.kv("tickets", { durable: true, ttl: 400 }).put("short", bytes("1"));
  await engine.kv("grants", { durable: true, ttl: 60_000 }).put("long", bytes("1"));
  await engine.close();
  await new Promise((resolve) => setTimeout(resolve, 450));
  engine = await openSqliteEngine({ folder });
  expect(await engine.kv("tickets").get("short")).toBeUndefined();
  expect(textOf((await engine.kv("grants").get("long"))?.value)).toBe("1");
  await engine.close();
});

test("a reader sees what is acknowledged in a folder that is in use, and changes nothing", async () => {
  const folder = await testFolder();
  expect(() => openSqliteReader({ folder })).toThrow("doesn't exist");
  const engine = await openSqliteEngine({ folder });
  const reader = openSqliteReader({ folder });
  expect(await reader.log.bounds("audit")).toBeUndefined();
  for (let n = 0; n < 10; n++) {
    await engine.log.append("audit", [bytes(`${n} ${"x".repeat(1_000)}`)]);
    expect((await reader.log.bounds("audit"))?.last).toBe(n + 1);
  }
  await engine.kv("heads", { durable: true }).put("n1", bytes("1"));
  const numbers: number[] = [];
  for await (const { record } of reader.log.read("audit", 4))
    numbers.push(Number.parseInt(textOf(record), 10));
  expect(numbers).toEqual([3, 4, 5, 6, 7, 8, 9]);
  expect(textOf((await reader.kv("heads").get("n1"))?.value)).toBe("1");
  await engine.log.trim("audit", 8);
  expect((await reader.log.bounds("audit"))?.first).toBe(8);
  reader.close();
  await engine.close();
});
