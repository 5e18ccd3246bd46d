import { openSqliteEngine } from "@vitrine/gateway/engine";
import { expect, test } from "vitest";
import { testFolder } from "./children/child.ts";

// Records have from one line to more than a reader fetches at once, and contain every byte.
test("a log can be read from any place to its end, before and after a restart", async () => {
  const folder = await testFolder();
  let engine = await openSqliteEngine({ folder });
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const written: Buffer[] = [];
  for (let n = 0; n < 60; n++) {
    const records = Array.from({ length: 1 + (n % 3) }, (_, part) => {
      const lines = n % 20 === 7 ? 1_500 : (n * 37) % 90;
      return Buffer.concat([Buffer.from(`${n}.${part}${"\nline".repeat(lines)}`), bytes]);
    });
    written.push(...records);
    await engine.log.append("audit", records);
  }
  const expectAt = async (from: number) => {
    let next = from;
    for await (const { sequence, record } of engine.log.read("audit", from)) {
      expect(sequence).toBe(next);
      expect(Buffer.compare(record, written[next - 1] as Buffer)).toBe(0);
      next += 1;
    }
    expect(next).toBe(Math.max(from, written.length + 1));
  };
  const last = written.length;
  const places = [1, 2, 30, 61, last - 7, last, last + 1];
  for (const from of places) await expectAt(from);
  await engine.close();
  engine = await openSqliteEngine({ folder });
  for (const from of places) await expectAt(from);
  await engine.close();
});
