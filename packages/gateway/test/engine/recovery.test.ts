import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { type Engine, openFileEngine, openFileReader } from "@vitrine/gateway/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FILE_HEADER } from "../../src/engine/file/frames.ts";
import { testFolder } from "./children/child.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString();

async function recordsOf(engine: Pick<Engine, "log">): Promise<string[]> {
  const texts: string[] = [];
  for await (const { record } of engine.log.read("audit")) texts.push(textOf(record));
  return texts;
}

test("an engine whose files are cut anywhere keeps a beginning of what was written, in order", async () => {
  const folder = await testFolder();
  const original = join(folder, "original");
  const engine = await openFileEngine({ folder: original });
  const grants = engine.kv("grants", { durable: true });
  for (let n = 0; n < 12; n++) {
    await grants.put("n", bytes(String(n)));
    await engine.log.append("audit", [bytes(`${n}`), bytes("x".repeat(n * 5))], { id: `id-${n}` });
  }
  const journal = join("kv", "grants.journal");
  const segment = join("log", "audit", "0000000000000001.segment");
  // Copied while it is open: as a crash leaves it, without the marks of a close in good order.
  const images = new Map<string, Buffer>();
  for (const file of [journal, segment, "generation"]) {
    images.set(file, await readFile(join(original, file)));
  }
  await engine.close();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), async (kvCut, logCut) => {
      const copy = join(folder, `copy-${run++}`);
      await mkdir(join(copy, "kv"), { recursive: true });
      await mkdir(join(copy, "log", "audit"), { recursive: true });
      for (const [file, image] of images) {
        const cut = { [journal]: kvCut, [segment]: logCut }[file] ?? image.length;
        await writeFile(join(copy, file), image.subarray(0, cut % (image.length + 1)));
      }
      await writeFile(join(copy, "generation"), "1");
      const again = await openFileEngine({ folder: copy });
      const records = await recordsOf(again);
      expect(records.length % 2).toBe(0);
      const count = records.length / 2;
      expect(records).toEqual(
        Array.from({ length: count }, (_, n) => [`${n}`, "x".repeat(n * 5)]).flat(),
      );
      const value = await again.kv("grants", { durable: true }).get("n");
      if (value) expect(Number(textOf(value.value))).toBe(value.revision - 1);
      // It goes on from there, and whoever did not hear his answer may ask again.
      const { first } = await again.log.append("audit", [bytes("new")], { id: "new" });
      expect(first).toBe(records.length + 1);
      if (count > 0) {
        const known = await again.log.append("audit", [bytes("?")], { id: `id-${count - 1}` });
        expect(known.duplicate).toBe(true);
      }
      await again.close();
      await rm(copy, { recursive: true });
    }),
    { numRuns: 60 },
  );
}, 60_000);

/** An engine with three files of the log, closed in good order. */
async function writtenFolder(): Promise<{ folder: string; segments: string[]; journal: string }> {
  const folder = await testFolder();
  const engine = await openFileEngine({ folder, segmentBytes: 4_096 });
  await engine.kv("a-first-one", { durable: true }).put("key", bytes("value"));
  for (let n = 0; n < 10; n++) {
    await engine.kv("grants", { durable: true }).put(`key-${n}`, bytes(`value ${n}`));
    await engine.log.append("audit", [bytes(`${n} ${"x".repeat(1_000)}`)]);
  }
  await engine.close();
  const names = await readdir(join(folder, "log", "audit"));
  const segments = names.filter((name) => name.endsWith(".segment")).sort();
  return {
    folder,
    segments: segments.map((name) => join(folder, "log", "audit", name)),
    journal: join(folder, "kv", "grants.journal"),
  };
}

async function damage(path: string, offset: number): Promise<void> {
  const file = await readFile(path);
  file.writeUInt8(file.readUInt8(offset) ^ 1, offset);
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

test("damage in the middle stops the start, and the error says which file and where", async () => {
  const { folder, journal } = await writtenFolder();
  await damage(journal, FILE_HEADER + 5);
  const error = await openFileEngine({ folder }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "corrupt" });
  expect(String(error)).toContain(`${journal} is damaged at byte ${FILE_HEADER}`);
  // Nothing is left open, and the folder is free again: the operator repairs, and tries once more.
  expect(await openFiles(folder)).toEqual([]);
  await rm(journal);
  const engine = await openFileEngine({ folder });
  expect(await openFiles(folder)).not.toEqual([]);
  await engine.close();
  expect(await openFiles(folder)).toEqual([]);
});

test("the last record of a file that was closed in good order is the middle as well", async () => {
  const { folder, segments } = await writtenFolder();
  const newest = segments.at(-1) as string;
  const file = await readFile(newest);
  await damage(newest, file.lastIndexOf("x"));
  await expect(openFileEngine({ folder })).rejects.toMatchObject({ code: "corrupt" });
});

test("damage in an older file, or its loss, is found by whoever reads it", async () => {
  const { folder, segments } = await writtenFolder();
  const [first = "", second = ""] = segments;
  expect(segments.length).toBeGreaterThan(2);
  await damage(first, 200);
  let engine = await openFileEngine({ folder, dedupeTime: 0 });
  const broken = await recordsOf(engine).catch((thrown: unknown) => thrown);
  expect(String(broken)).toContain(`${first} is damaged at byte`);
  await engine.close();
  await damage(first, 200);
  await rm(second);
  engine = await openFileEngine({ folder, dedupeTime: 0 });
  const missing = await recordsOf(engine).catch((thrown: unknown) => thrown);
  expect(missing).toMatchObject({ code: "corrupt" });
  expect(String(missing)).toMatch(/records \d+ to \d+ are missing/);
  await engine.close();
});

test("a torn tail is dropped with a notice that says how much", async () => {
  const { folder, journal } = await writtenFolder();
  await appendFile(journal, "VFRM torn");
  const notices: string[] = [];
  const engine = await openFileEngine({ folder, onNotice: ({ text }) => notices.push(text) });
  expect(textOf((await engine.kv("grants").get("key-9"))?.value)).toBe("value 9");
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(`The last 9 bytes of ${journal} were torn`);
  await engine.close();
});

test("a file of the log that was only begun holds nothing, and the one before it goes on", async () => {
  const folder = await testFolder();
  let engine = await openFileEngine({ folder });
  await engine.log.append(
    "audit",
    Array.from({ length: 10 }, (_, n) => bytes(String(n))),
  );
  await engine.close();
  // As a disk leaves it that was full when the log wanted another file, and had room for small records after.
  const begun = join(folder, "log", "audit", "0000000000000005.segment");
  for (const contents of ["", "VTLG"]) {
    await writeFile(begun, contents);
    engine = await openFileEngine({ folder });
    expect(await recordsOf(engine)).toHaveLength(10);
    await engine.close();
    await expect(readFile(begun)).rejects.toMatchObject({ code: "ENOENT" });
  }
});

test("a blob whose bytes changed is not given out", async () => {
  const folder = await testFolder();
  const engine = await openFileEngine({ folder });
  const hash = await engine.blob.put(bytes("<h1>hello</h1>"));
  await writeFile(join(folder, "blob", hash.slice(0, 2), hash), "<h1>hallo</h1>");
  await expect(engine.blob.get(hash)).rejects.toMatchObject({ code: "corrupt" });
  await engine.close();
});

test("a journal is rewritten before it grows without end, and forgets neither keys nor revisions", async () => {
  const folder = await testFolder();
  const journal = join(folder, "kv", "grants.journal");
  let engine = await openFileEngine({ folder });
  let grants = engine.kv("grants", { durable: true });
  await grants.create("passing", bytes("1"), { ttl: 3_600_000 });
  let last = 0;
  for (let n = 0; n < 60; n++) {
    const value = bytes(`${n} ${"x".repeat(1_000)}`);
    const all = Array.from({ length: 100 }, (_, key) => grants.put(`key-${key}`, value));
    last = Math.max(...(await Promise.all(all)));
  }
  for (let key = 1; key < 100; key++) await grants.delete(`key-${key}`);
  // Six megabytes were written.
  expect((await readFile(journal)).length).toBeLessThan(2_500_000);
  await engine.close();
  // A rewrite that was cut off is no matter.
  await copyFile(journal, `${journal}.new`);
  await truncate(`${journal}.new`, 1_000);
  engine = await openFileEngine({ folder });
  grants = engine.kv("grants");
  expect(textOf((await grants.get("key-0"))?.value)).toMatch(/^59 /);
  expect(await grants.get("key-1")).toBeUndefined();
  expect(textOf((await grants.get("passing"))?.value)).toBe("1");
  expect(await grants.put("next", bytes(""))).toBeGreaterThan(last + 98);
  expect(await readdir(join(folder, "kv"))).toEqual(["grants.journal"]);
  await engine.close();
});

test("a journal that is rewritten when its last key goes does not give its revision again", async () => {
  const folder = await testFolder();
  let engine = await openFileEngine({ folder });
  const leases = engine.kv("leases", { durable: true });
  await leases.put("lease", new Uint8Array(600_000));
  const revision = await leases.put("lease", new Uint8Array(600_000));
  await leases.delete("lease");
  await engine.close();
  expect((await readFile(join(folder, "kv", "leases.journal"))).length).toBeLessThan(1_000);
  engine = await openFileEngine({ folder });
  expect(await engine.kv("leases").create("lease", bytes(""))).toBeGreaterThan(revision + 1);
  await engine.close();
});

test("what expired while nobody was there is gone, and what did not keeps its time", async () => {
  const folder = await testFolder();
  let engine = await openFileEngine({ folder });
  await engine.kv("tickets", { durable: true, ttl: 400 }).put("short", bytes("1"));
  await engine.kv("grants", { durable: true }).create("long", bytes("1"), { ttl: 60_000 });
  await engine.close();
  await new Promise((resolve) => setTimeout(resolve, 450));
  engine = await openFileEngine({ folder });
  expect(await engine.kv("tickets").get("short")).toBeUndefined();
  expect(textOf((await engine.kv("grants").get("long"))?.value)).toBe("1");
  await engine.close();
});

test("a reader looks into a folder that is in use, sees what is acknowledged, and changes nothing", async () => {
  const folder = await testFolder();
  await expect(openFileReader({ folder })).rejects.toMatchObject({ code: "invalid" });
  const engine = await openFileEngine({ folder, segmentBytes: 4_096 });
  const reader = await openFileReader({ folder });
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
  expect((await reader.log.bounds("audit"))?.first).toBeGreaterThan(1);
  await engine.close();
});
