import { createHash } from "node:crypto";
import { appendFile, chmod, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  createMemoryEngine,
  type Engine,
  type Entry,
  openSqliteEngine,
} from "@vitrine/gateway/engine";
import { describe, expect, test } from "vitest";
import { testFolder } from "../engine/children/child.ts";
import { bound, lookInto, openArchiver, record, segmentsOf, stepsOf } from "./archive-stage.ts";

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
  test("contains every step of every node in order, and verifies without the engine", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
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

  test("is readable with gzip tools, and its index lists each segment with its checksum", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
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

  test("continues in a new segment without duplicates", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
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

  test("starts a new segment when one is large or old", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
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

  test("reports its lag, and none once it has caught up", async () => {
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
  trim: (...args) => engine.log.trim(...args),
});

describe("after a crash", () => {
  /** An archive of which the last segment is in no index, as after a kill. */
  async function killed() {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
    await record(engine, "n1", 60);
    await archiveAll(engine, archive, { batchBytes: 500 });
    await rm(join(archive, "index.jsonl"));
    const [segment = ""] = await segmentsOf(archive);
    return { archive, engine, segment: join(archive, segment) };
  }

  test("a torn batch is cut off and archived again from the log, once", async () => {
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

  test("zero bytes at the end, as after a power failure, are cut off too", async () => {
    const { archive, engine, segment } = await killed();
    await appendFile(segment, Buffer.alloc(5_000));
    await archiveAll(engine, archive);
    const { steps, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    await engine.close();
  });

  test("an incomplete or missing line of the index is restored", async () => {
    const { archive, engine } = await killed();
    await writeFile(join(archive, "index.jsonl"), '{"segment":"2026');
    await archiveAll(engine, archive);
    const { steps, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    await engine.close();
  });

  test("damage in the middle isn't from a crash: it is reported by name, and nothing is cut", async () => {
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

describe("the verification of an archive", () => {
  async function threeSegments() {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
    for (let life = 0; life < 3; life++) {
      await record(engine, `n${life}`, 20);
      await record(engine, "n9", 10);
      await archiveAll(engine, archive);
    }
    await engine.close();
    return { archive, segments: await segmentsOf(archive) };
  }

  test("reports a missing segment and its records", async () => {
    const { archive, segments } = await threeSegments();
    await rm(join(archive, `${segments[1]}`));
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`missing ${segments[1]}`]);
    expect(found.ok).toBe(false);
    expect(found.findings.map(({ text }) => text).join("\n")).toMatch(
      /"n1" lacks its end, .* records 1 to 20/,
    );
  });

  test("reports a missing newest segment by the heads in the index", async () => {
    const { archive, segments } = await threeSegments();
    await rm(join(archive, `${segments[2]}`));
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`missing ${segments[2]}`]);
    expect(found.findings.some(({ node }) => node === "n2")).toBe(true);
  });

  test("reports moved oldest segments as a gap, like a trimmed log", async () => {
    const { archive, segments } = await threeSegments();
    await rm(join(archive, `${segments[0]}`));
    const { found, files } = await lookInto(archive);
    expect(files).toEqual([`removed ${segments[0]}`]);
    expect(found.findings).toEqual([]);
  });

  test("reports a changed byte with its segment and records", async () => {
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

describe("an unusable folder", () => {
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

  test("is rejected if it is a file or contains something else", async () => {
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
  test("take turns with one folder: the second continues when the first ends", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
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

  test("archive everything twice with two folders", async () => {
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
    const folders = ["a", "b"].map((name) => join(folder, name));
    const opened = await Promise.all(folders.map((each) => openArchiver(engine, each)));
    await record(engine, "n1", 50);
    await Promise.all(opened.map(({ archiver }) => archiver.close()));
    for (const each of folders)
      expect((await lookInto(each)).steps).toEqual(await stepsOf(engine.log));
    await engine.close();
  });

  test("a process that was replaced writes nothing more to the folder (O3)", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = await openSqliteEngine({ folder: join(folder, "data") });
    // Its lease can't be renewed, as if the process was stopped for long.
    const stuck: Engine = {
      ...engine,
      kv: (bucket, options) => {
        const kv = engine.kv(bucket, options);
        const update = (): Promise<never> => new Promise(() => {});
        return bucket === "archive-turns" ? bound(kv, { update }) : kv;
      },
    };
    const first = await openArchiver(stuck, archive, { leaseTime: 2_000 });
    await record(engine, "n1", 10);
    await expect.poll(() => first.archiver.state.place).toBeGreaterThan(0);
    const second = await openArchiver(engine, archive, { leaseTime: 2_000 });
    expect(second.archiver.state.isWriting).toBe(false);
    await expect.poll(() => second.archiver.state.isWriting, { timeout: 8_000 }).toBe(true);
    await record(engine, "n1", 10);
    const last = (await engine.log.bounds("audit"))?.last;
    await expect.poll(() => second.archiver.state.place).toBe(last);
    await expect.poll(() => first.archiver.state.isWriting).toBe(false);
    expect(first.said.problems).toEqual([expect.stringContaining("another process may write")]);
    await second.archiver.close();
    await first.archiver.close();
    const { steps, files } = await lookInto(archive);
    expect([steps, files]).toEqual([await stepsOf(engine.log), []]);
    await engine.close();
  });
});

describe("a different log than the archived one", () => {
  test("isn't archived into the folder, and nothing of it may be deleted", async () => {
    const folder = await testFolder();
    const archive = join(folder, "archive");
    const engine = createMemoryEngine();
    await record(engine, "n1", 40);
    await archiveAll(engine, archive);
    for (const count of [5, 200]) {
      const other = createMemoryEngine();
      await record(other, "n1", count);
      const refused = openArchiver(other, archive, { doubt: 20 });
      await expect(refused).rejects.toMatchObject({ code: "foreign" });
      // As after a restore of an older backup: the log has the same name, and other contents.
      const { value } = (await engine.kv("audit-log").get("id")) as Entry;
      await other.kv("audit-log").put("id", value);
      const { archiver, said } = await openArchiver(other, archive, { doubt: 20 });
      await expect
        .poll(() => said.problems.join(), { timeout: 8_000 })
        .toContain("it isn't the one that is archived");
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
