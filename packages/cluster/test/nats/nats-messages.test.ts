// The message format of the NATS engine; the tests need no server.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countOf, decodeMessage, encodeMessage } from "../../src/nats/batch-message.ts";
import { placeOf, sequenceOf } from "../../src/nats/record-position.ts";

const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 40 });
const bytes = (all: readonly Uint8Array[]): number[][] => all.map((one) => [...one]);

describe("a batch of the log as a message", () => {
  test("is decoded unchanged, whatever its records contain", () => {
    fc.assert(
      fc.property(bodies, (records) => {
        const message = encodeMessage(records);
        expect(countOf(message)).toBe(records.length);
        expect(bytes(decodeMessage(message))).toEqual(bytes(records));
      }),
    );
  });

  test("decodes records at each size of the length field", () => {
    const lengths = [0, 1, 127, 128, 16_383, 16_384, 2 ** 20 - 1];
    const records = lengths.map((length) => new Uint8Array(length).fill(7));
    expect(decodeMessage(encodeMessage(records)).map(({ length }) => length)).toEqual(lengths);
  });

  test("holds as many records as a batch may have", () => {
    const records = Array.from({ length: 0xffff }, (_, n) => Uint8Array.of(n));
    expect(decodeMessage(encodeMessage(records))).toHaveLength(0xffff);
  });

  test("rejects other messages as corrupt, and unpacks no more than the declared size", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expect(outcomeOf(() => decodeMessage(noise))).toMatch(/^(read|corrupt)$/);
      }),
    );
    const bomb = encodeMessage([new Uint8Array(2 ** 20)]);
    expect(bomb.length).toBeLessThan(2_000);
    bomb.writeUInt32LE(1_000, 3);
    expect(outcomeOf(() => decodeMessage(bomb))).toBe("corrupt");
    bomb.writeUInt32LE(2 ** 31, 3);
    expect(outcomeOf(() => decodeMessage(bomb))).toBe("corrupt");
  });

  test("rejects a truncated message", () => {
    const records = Array.from({ length: 50 }, (_, n) => Buffer.from(`record ${n} `.repeat(3)));
    const message = encodeMessage(records);
    for (let length = 0; length < message.length; length++) {
      expect(outcomeOf(() => decodeMessage(message.subarray(0, length)))).toBe("corrupt");
    }
  });
});

describe("the position of a record", () => {
  test("starts at 1 and is unique", () => {
    expect(placeOf(1, 0)).toBe(1);
    expect(placeOf(2, 0)).toBeGreaterThan(placeOf(1, 0xfffe));
    expect([0, 1, placeOf(1, 0xfffe)].map(sequenceOf)).toEqual([1, 1, 1]);
    expect([placeOf(2, 0), placeOf(7, 12)].map(sequenceOf)).toEqual([2, 7]);
    // A hundred batches a second for forty years.
    expect(Number.isSafeInteger(placeOf(100 * 40 * 366 * 86_400, 0xfffe))).toBe(true);
  });
});

function outcomeOf(doing: () => unknown): string {
  try {
    doing();
    return "read";
  } catch (error) {
    return (error as { code?: string }).code ?? `${error}`;
  }
}
