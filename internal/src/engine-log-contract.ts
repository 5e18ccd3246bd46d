import type { Log, LogRecord } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { bytesOf, codeOf, fresh, textOf, type WithEngine } from "./engine-trial.ts";

async function readAll(log: Log, partition: string, from?: number): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of log.read(partition, from)) records.push(record);
  return records;
}

const textsOf = (records: readonly LogRecord[]): (string | undefined)[] =>
  records.map(({ record }) => textOf(record));

const batch = (...texts: string[]): Uint8Array[] => texts.map(bytesOf);

export function testLog(withEngine: WithEngine): void {
  test(
    "records are read in the order in which they were appended, at rising places",
    withEngine(async ({ engine, peer }) => {
      const partition = fresh("audit");
      const one = await engine.log.append(partition, batch("a", "b", ""));
      const two = await engine.log.append(partition, batch("d"));
      expect(one.duplicate).toBe(false);
      expect([one.first < one.last, one.last < two.first, two.first === two.last]).toEqual([
        true,
        true,
        true,
      ]);
      const records = await readAll(peer.log, partition);
      expect(textsOf(records)).toEqual(["a", "b", "", "d"]);
      const places = records.map(({ sequence }) => sequence);
      expect([places[0], places[2], places[3]]).toEqual([one.first, one.last, two.first]);
      expect(textsOf(await readAll(peer.log, partition, records[1]?.sequence))).toEqual([
        "b",
        "",
        "d",
      ]);
      expect(await readAll(peer.log, partition, two.last + 1)).toEqual([]);
      expect(await peer.log.bounds(partition)).toEqual({ first: one.first, last: two.last });
    }),
  );

  test(
    "partitions know nothing of each other, and an empty one is empty",
    withEngine(async ({ engine }) => {
      const [left, right, empty] = [fresh("left"), fresh("right"), fresh("empty")];
      await engine.log.append(left, batch("l"));
      await engine.log.append(right, batch("r"));
      expect(textsOf(await readAll(engine.log, left))).toEqual(["l"]);
      expect(textsOf(await readAll(engine.log, right))).toEqual(["r"]);
      expect(await readAll(engine.log, empty)).toEqual([]);
      expect(await engine.log.bounds(empty)).toBeUndefined();
    }),
  );

  test(
    "appends at once from many sides are all there, each batch unbroken, each side in its order",
    withEngine(async ({ engine, peer }) => {
      const partition = fresh("audit");
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          (n % 2 ? engine : peer).log.append(partition, batch(`${n}.0`, `${n}.1`, `${n}.2`)),
        ),
      );
      const texts = textsOf(await readAll(engine.log, partition));
      expect(texts).toHaveLength(300);
      const starts: number[] = [];
      for (let at = 0; at < 300; at += 3) {
        const n = Number(texts[at]?.split(".")[0]);
        starts.push(n);
        expect(texts.slice(at, at + 3)).toEqual([`${n}.0`, `${n}.1`, `${n}.2`]);
      }
      expect(new Set(starts).size).toBe(100);
    }),
  );

  test(
    "a batch that is appended again under its id is not there twice, however close together",
    withEngine(async ({ engine, peer }) => {
      const partition = fresh("audit");
      const add = (log: Log, id: string): ReturnType<Log["append"]> =>
        log.append(partition, batch(`${id}-1`, `${id}-2`), { id });
      const [first, second] = await Promise.all([add(engine.log, "n1:1"), add(peer.log, "n1:1")]);
      expect([first.first, first.last]).toEqual([second.first, second.last]);
      expect([first.duplicate, second.duplicate].sort()).toEqual([false, true]);
      const again = await add(peer.log, "n1:1");
      expect(again).toEqual({ first: first.first, last: first.last, duplicate: true });
      expect((await add(engine.log, "n1:2")).duplicate).toBe(false);
      const texts = textsOf(await readAll(engine.log, partition));
      expect(texts).toEqual(["n1:1-1", "n1:1-2", "n1:2-1", "n1:2-2"]);
    }),
  );

  test(
    "a reader comes to an end though others append",
    withEngine(async ({ engine }) => {
      const partition = fresh("audit");
      await engine.log.append(partition, batch("a", "b"));
      const texts: (string | undefined)[] = [];
      for await (const { record } of engine.log.read(partition)) {
        texts.push(textOf(record));
        await engine.log.append(partition, batch("more"));
      }
      expect(texts).toEqual(["a", "b"]);
    }),
  );

  test(
    "trimming lets go of old records alone, and places are not given again",
    withEngine(async ({ engine }) => {
      const partition = fresh("audit");
      await engine.log.append(partition, batch("1", "2"));
      const { first } = await engine.log.append(partition, batch("3"));
      await engine.log.trim(partition, first);
      const texts = textsOf(await readAll(engine.log, partition));
      expect(texts.at(-1)).toBe("3");
      expect(["1", "2", "3"].slice(-texts.length)).toEqual(texts);
      await engine.log.trim(partition, first + 1_000_000);
      expect((await engine.log.append(partition, batch("4"))).first).toBeGreaterThan(first);
      expect(textsOf(await readAll(engine.log, partition)).at(-1)).toBe("4");
    }),
  );

  test(
    "a batch is refused whole: empty, too large, or with a name no engine takes",
    withEngine(async ({ engine }) => {
      const { log, caps } = engine;
      const partition = fresh("audit");
      const half = new Uint8Array(caps.maxBytes / 2 + 1);
      expect(await codeOf(log.append(partition, []))).toBe("invalid");
      expect(await codeOf(log.append(partition, [half, half]))).toBe("too-large");
      expect(await codeOf(log.append(partition, batch("a"), { id: "no blanks" }))).toBe("invalid");
      for (const name of ["", "A", "..", "a/b", "../a", ".a", "a.", "a..b", "a".repeat(129)]) {
        expect([name, await codeOf(log.append(name, batch("a")))]).toContain("invalid");
      }
      expect(await readAll(log, partition)).toEqual([]);
    }),
  );

  test(
    "what the caller does to his bytes once they are appended changes nothing",
    withEngine(async ({ engine }) => {
      const partition = fresh("audit");
      const record = Buffer.from("as appended");
      await engine.log.append(partition, [record]);
      record.fill(120);
      for (const read of await readAll(engine.log, partition)) read.record.fill(120);
      expect(textsOf(await readAll(engine.log, partition))).toEqual(["as appended"]);
    }),
  );

  test(
    "a restart keeps records and ids",
    withEngine(async ({ engine, reopen }) => {
      if (!reopen) return;
      const partition = fresh("audit");
      const one = await engine.log.append(partition, batch("1", "2"), { id: "n1:1" });
      const again = await reopen();
      try {
        const repeated = await again.log.append(partition, batch("1", "2"), { id: "n1:1" });
        expect(repeated).toEqual({ ...one, duplicate: true });
        const two = await again.log.append(partition, batch("3"));
        expect(two.first).toBeGreaterThan(one.last);
        expect(textsOf(await readAll(again.log, partition))).toEqual(["1", "2", "3"]);
      } finally {
        await again.close();
      }
    }),
  );
}
