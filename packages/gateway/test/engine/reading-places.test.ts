import { openFileEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { testFolder } from "./children/child.ts";

// A file knows all of its last frames and some of those before; a reader may begin at any of them, or between.
test("from whatever place a log is read, it goes on from there to its end, before and after a restart", async () => {
  const folder = await testFolder();
  let engine = await openFileEngine({ folder, segmentBytes: 700_000 });
  let last = 0;
  for (let n = 0; n < 900; n++) {
    const records = Array.from({ length: 1 + (n % 3) }, (_, part) =>
      Buffer.from(`${last + part + 1} ${"x".repeat((n * 37) % 2500)}`),
    );
    last += records.length;
    await engine.log.append("audit", records);
  }
  const expectAt = async (from: number) => {
    const numbers: number[] = [];
    for await (const { sequence, record } of engine.log.read("audit", from)) {
      expect(Number.parseInt(Buffer.from(record).toString("latin1"), 10)).toBe(sequence);
      numbers.push(sequence);
    }
    expect(numbers).toEqual(Array.from({ length: last - from + 1 }, (_, n) => from + n));
  };
  const places = [1, 2, 700, 1201, last - 600, last - 300, last - 7, last - 1, last, last + 1];
  for (const from of places) await expectAt(from);
  await engine.close();
  engine = await openFileEngine({ folder, segmentBytes: 700_000 });
  for (const from of places) await expectAt(from);
  await engine.close();
});
