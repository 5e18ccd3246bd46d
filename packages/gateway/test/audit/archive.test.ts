import { createHash } from "node:crypto";
import { appendFile, chmod, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createMemoryEngine, type Engine, openFileEngine } from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { testFolder } from "../engine/children/child.ts";
import { lookInto, openArchiver, record, segmentsOf, stepsOf } from "./archive-stage.ts";

/** Archives what is there, and closes. */
async function archiveAll(
  engine: Engine,
  folder: string,
  more: Parameters<typeof openArchiver>[2] = {},
): Promise<string[]> {
  const { archiver, said } = await openArchiver(engine, folder, more);
  const last = (await engine.log.bounds("audit"))?.last ?? 0;
  await expect.poll(() => archiver.state.place).toBe(last);
  await archiver.close();
  return said.notices;
}

describe("an archive", () => {
  test("holds every step of every node, in its place, and verifies without the engine", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder: join(folder, "data") });
    const { archiver } = await openArchiver(engine, join(folder, "archive"));
    await Promise.all([record(engine, "n1", 60), record(engine, "n2", 40)]);
    await archiver.close();
    const steps = await stepsOf(engine.log);
    await engine.close();
    const archive = await lookInto(join(folder, "archive"));
    expect(archive.steps).toEqual(steps);
    expect(archive.files).toEqual([]);
    expect(archive.found).toMatchObject({ ok: true, records: 100, gaps: [] });
    expect(archive.found.chains.map(({ node, ended }) => `${node} ${ended}`).sort()).toEqual([
      "n1 in-order",
      "n2 in-order",
    ]);
  });

  test("is read by whatever reads gzip, and its index names each segment with its sum", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder: join(folder, "data") });
    await record(engine, "n1", 30);
    const archive = join(folder, "archive");
    await archiveAll(engine, archive);
    await engine.close();
    const [segment = ""] = await segmentsOf(archive);
    expect(segment).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ_0{15}1\.gz$/);
    const packed = await readFile(join(archive, segment));
    const text = gunzipSync(packed).toString("latin1");
    expect(text).toMatch(/^@1 \d+\n\{"audit":1,"node":"n1"/);
    expect(text).toContain('"tool":"n1-29"');
    const line = JSON.parse(await readFile(join(archive, "index.jsonl"), "utf8"));
    const sum = createHash("sha256").update(packed).digest("hex");
    expect(line).toMatchObject({ segment, first: 1, records: 30, sha256: sum });
  });

  test("goes on where it was, in a new segment, and has nothing twice", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openFileEngine({ folder: join(folder, "data") });
    for (let life = 0; life < 3; life++) {
      await record(engine, "n1", 20);
      await archiveAll(engine, archive);
    }
    expect(await segmentsOf(archive)).toHaveLength(3);
    const { steps, found } = await lookInto(archive);
    expect(steps).toEqual(await stepsOf(engine.log));
    expect(found).toMatchObject({ ok: true, records: 60 });
    await engine.close();
  });

  test("begins another segment when one is large, or old", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openFileEngine({ folder: join(folder, "data") });
    await record(engine, "n1", 200);
    await archiveAll(engine, archive, { rotateBytes: 4_000, batchBytes: 1_000 });
    const segments = await segmentsOf(archive);
    expect(segments.length).toBeGreaterThan(2);
    const { archiver } = await openArchiver(engine, archive, { rotateTime: 50 });
    await record(engine, "n1", 5);
    // Without anything to write, too.
    const lines = async (): Promise<number> =>
      (await readFile(join(archive, "index.jsonl"), "utf8")).split("\n").length - 1;
    await expect.poll(lines, { timeout: 5_000 }).toBeGreaterThan(segments.length);
    await archiver.close();
    const { steps, found, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    expect(found.ok).toBe(true);
    await engine.close();
  });

  test("says how far it is behind, and nothing once it has caught up", async () => {
    const folder = await testFolder();
    const engine = createMemoryEngine();
    await record(engine, "n1", 40);
    let isBlocked = true;
    const slow: Engine = {
      ...engine,
      kv: (bucket, options) => engine.kv(bucket, options),
      log: {
        ...logOf(engine),
        bounds: (partition) =>
          isBlocked ? Promise.reject(new Error("away")) : engine.log.bounds(partition),
      },
    };
    const { archiver, said } = await openArchiver(slow, join(folder, "archive"));
    await expect.poll(() => archiver.state.lag.records).toBe(40);
    await expect.poll(() => archiver.state.lag.seconds).toBeGreaterThan(0.05);
    expect(said.problems).toEqual(["away"]);
    isBlocked = false;
    await expect
      .poll(() => archiver.state.lag, { timeout: 8_000 })
      .toEqual({ records: 0, seconds: 0 });
    await expect.poll(() => said.problems).toEqual(["away", undefined]);
    await archiver.close();
  });
});

const logOf = (engine: Engine): Engine["log"] => ({
  append: (...args) => engine.log.append(...args),
  read: (...args) => engine.log.read(...args),
  bounds: (...args) => engine.log.bounds(...args),
  consume: (...args) => engine.log.consume(...args),
  trim: (...args) => engine.log.trim(...args),
});

describe("what a crash leaves", () => {
  /** An archive of which the last segment is in no index, as after a kill. */
  async function killed() {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openFileEngine({ folder: join(folder, "data") });
    await record(engine, "n1", 60);
    await archiveAll(engine, archive, { batchBytes: 500 });
    await rm(join(archive, "index.jsonl"));
    const [segment = ""] = await segmentsOf(archive);
    return { archive, engine, segment: join(archive, segment) };
  }

  test("a batch that is torn is cut off, read again from the log, and there once", async () => {
    const { archive, engine, segment } = await killed();
    const { length } = await readFile(segment);
    for (const cut of [1, 30, 45, 200]) {
      await truncate(segment, length - cut);
      const before = await lookInto(archive);
      expect(before.files).toEqual([expect.stringContaining("torn ")]);
      const notices = await archiveAll(engine, archive, { batchBytes: 500 });
      expect(notices.join()).toContain("torn bytes");
      const { steps, files } = await lookInto(archive);
      expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
      for (const name of (await segmentsOf(archive)).slice(1)) await rm(join(archive, name));
      await rm(join(archive, "index.jsonl"));
      await truncate(segment, length - cut);
    }
    await engine.close();
  });

  test("bytes of nothing at the end, as a loss of power leaves them, are cut off too", async () => {
    const { archive, engine, segment } = await killed();
    await appendFile(segment, Buffer.alloc(5_000));
    await archiveAll(engine, archive);
    const { steps, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    await engine.close();
  });

  test("half a line of the index, or none of it, is made again", async () => {
    const { archive, engine } = await killed();
    await writeFile(join(archive, "index.jsonl"), '{"segment":"2026');
    await archiveAll(engine, archive);
    const { steps, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    await engine.close();
  });

  test("damage with more behind it is no crash: it is refused by name, and nothing is cut", async () => {
    const { archive, engine, segment } = await killed();
    const bytes = await readFile(segment);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    await writeFile(segment, bytes);
    await expect(openArchiver(engine, archive)).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(segment),
    });
    expect(await readFile(segment)).toEqual(bytes);
    // Moved away, as it says, the rest is archived: a gap the chain tells of, where the log has it no more.
    await rename(segment, `${segment}.aside`);
    await archiveAll(engine, archive);
    expect((await lookInto(archive)).steps).toEqual(await stepsOf(engine.log));
    await engine.close();
  });
});

describe("whoever verifies an archive", () => {
  async function threeSegments() {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openFileEngine({ folder: join(folder, "data") });
    for (let life = 0; life < 3; life++) {
      await record(engine, `n${life}`, 20);
      await record(engine, "n9", 10);
      await archiveAll(engine, archive);
    }
    await engine.close();
    return { archive, segments: await segmentsOf(archive) };
  }

  test("is told of a segment that is gone, and which records were in it", async () => {
    const { archive, segments } = await threeSegments();
    await rm(join(archive, `${segments[1]}`));
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`missing ${segments[1]}`]);
    expect(found.ok).toBe(false);
    expect(found.findings.map(({ text }) => text).join("\n")).toMatch(
      /"n1" lacks its end, .* records 1 to 20/,
    );
  });

  test("is told that the newest is gone: the index names its heads", async () => {
    const { archive, segments } = await threeSegments();
    await rm(join(archive, `${segments[2]}`));
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`missing ${segments[2]}`]);
    expect(found.findings.some(({ node }) => node === "n2")).toBe(true);
  });

  test("finds the oldest carried away to be a gap, as with a log that was trimmed", async () => {
    const { archive, segments } = await threeSegments();
    await rm(join(archive, `${segments[0]}`));
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`removed ${segments[0]}`]);
    expect(found.findings).toEqual([]);
  });

  test("is told of a byte that was changed, in which segment and which records", async () => {
    const { archive, segments } = await threeSegments();
    const path = join(archive, `${segments[1]}`);
    const bytes = await readFile(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`changed ${segments[1]}`]);
    expect(found.ok).toBe(false);
  });
});

describe("a folder that will not do", () => {
  const engine = createMemoryEngine();

  test.skipIf(process.getuid?.() === 0)(
    "is refused by its name where it cannot be written",
    async () => {
      const folder = await testFolder();
      await chmod(folder, 0o500);
      await expect(openArchiver(engine, folder)).rejects.toMatchObject({
        code: "unwritable",
        message: expect.stringContaining(folder),
      });
      await chmod(folder, 0o700);
    },
  );

  test("is refused where it is a file, or holds something else", async () => {
    const folder = await testFolder();
    await writeFile(join(folder, "letters.txt"), "dear");
    const file = join(folder, "letters.txt");
    await expect(openArchiver(engine, file)).rejects.toMatchObject({
      code: "unwritable",
      message: expect.stringContaining(file),
    });
    await expect(openArchiver(engine, folder)).rejects.toMatchObject({
      code: "foreign",
      message: expect.stringContaining("letters.txt"),
    });
  });
});

describe("two archivers", () => {
  test("with one folder take turns: the second goes on when the first ends", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openFileEngine({ folder: join(folder, "data") });
    const [first, second] = [
      await openArchiver(engine, archive),
      await openArchiver(engine, archive),
    ];
    await record(engine, "n1", 20);
    await expect.poll(() => first.archiver.state.place).toBeGreaterThan(0);
    expect([first.archiver.state.isWriting, second.archiver.state.isWriting]).toEqual([
      true,
      false,
    ]);
    expect(second.said.notices).toEqual([expect.stringContaining("written by another process")]);
    await first.archiver.close();
    await record(engine, "n1", 20);
    const last = (await engine.log.bounds("audit"))?.last;
    await expect.poll(() => second.archiver.state.place, { timeout: 8_000 }).toBe(last);
    await second.archiver.close();
    const { steps, found } = await lookInto(archive);
    expect(steps).toEqual(await stepsOf(engine.log));
    expect(found).toMatchObject({ ok: true, records: 40 });
    await engine.close();
  });

  test("with two folders both have everything", async () => {
    const folder = await testFolder();
    const engine = await openFileEngine({ folder: join(folder, "data") });
    const folders = ["a", "b"].map((name) => join(folder, name));
    const opened = await Promise.all(folders.map((each) => openArchiver(engine, each)));
    await record(engine, "n1", 50);
    await Promise.all(opened.map(({ archiver }) => archiver.close()));
    for (const each of folders)
      expect((await lookInto(each)).steps).toEqual(await stepsOf(engine.log));
    await engine.close();
  });

  test("one that was taken for dead writes nothing more into the folder of its successor", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openFileEngine({ folder: join(folder, "data") });
    const first = await openArchiver(engine, archive);
    await record(engine, "n1", 10);
    await expect.poll(() => first.archiver.state.place).toBeGreaterThan(0);
    // As if it had been stopped for long, and another had found its lock to be a dead process's.
    await rm(join(archive, "lock"));
    const second = await openArchiver(engine, archive);
    await record(engine, "n1", 10);
    const last = (await engine.log.bounds("audit"))?.last;
    await expect.poll(() => second.archiver.state.place).toBe(last);
    await expect.poll(() => first.archiver.state.isWriting).toBe(false);
    expect(first.said.problems).toEqual([expect.stringContaining("taken over by another process")]);
    await second.archiver.close();
    await first.archiver.close();
    const { steps, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    await engine.close();
  });
});

describe("another log in the place of the one that is archived", () => {
  test("is not archived into it, whether it is shorter or not, and nothing of it may be let go of", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = createMemoryEngine();
    await record(engine, "n1", 40);
    await archiveAll(engine, archive);
    for (const count of [5, 200]) {
      const other = createMemoryEngine();
      await record(other, "n1", count);
      const { archiver, said } = await openArchiver(other, archive, { doubt: 20 });
      await expect
        .poll(() => said.problems.join(), { timeout: 8_000 })
        .toContain("it is not the one that is archived");
      const bucket = other.kv("audit-archives");
      for await (const key of bucket.keys()) {
        const value = Buffer.from((await bucket.get(key))?.value ?? []).toString();
        expect(JSON.parse(value)).toMatchObject({ place: 0 });
      }
      await archiver.close(50);
    }
    const { steps } = await lookInto(archive);
    expect(steps).toEqual(await stepsOf(engine.log));
  });
});
