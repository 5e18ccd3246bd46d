// What the NATS engine puts into messages; no server is needed for that.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countOf, decodeMessage, encodeMessage } from "../../src/engine/nats/batch-message.ts";
import {
  ANSWERED,
  FAILED,
  FrameBatch,
  readAnswers,
  readRequests,
} from "../../src/engine/nats/bus-frames.ts";
import { placeOf, sequenceOf } from "../../src/engine/nats/places.ts";

const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 40 });
const bytes = (all: readonly Uint8Array[]): number[][] => all.map((one) => [...one]);

describe("a batch of the log as a message", () => {
  test("comes back as it was, whatever its records are", () => {
    fc.assert(
      fc.property(bodies, (records) => {
        const message = encodeMessage(records);
        expect(countOf(message)).toBe(records.length);
        expect(bytes(decodeMessage(message))).toEqual(bytes(records));
      }),
    );
  });

  test("records of every length that takes another byte to write come back", () => {
    const lengths = [0, 1, 127, 128, 16_383, 16_384, 2 ** 20 - 1];
    const records = lengths.map((length) => new Uint8Array(length).fill(7));
    expect(decodeMessage(encodeMessage(records)).map(({ length }) => length)).toEqual(lengths);
  });

  test("as many records as a batch may have are one message", () => {
    const records = Array.from({ length: 0xffff }, (_, n) => Uint8Array.of(n));
    expect(decodeMessage(encodeMessage(records))).toHaveLength(0xffff);
  });

  test("what is not one is corrupt, however it begins, and never more than it says", () => {
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

  test("one that was cut is corrupt", () => {
    const records = Array.from({ length: 50 }, (_, n) => Buffer.from(`record ${n} `.repeat(3)));
    const message = encodeMessage(records);
    for (let length = 0; length < message.length; length++) {
      expect(outcomeOf(() => decodeMessage(message.subarray(0, length)))).toBe("corrupt");
    }
  });
});

describe("requests and answers that travel together", () => {
  test("come back as they were", () => {
    fc.assert(
      fc.property(bodies, (all) => {
        const [asked, answered] = [new FrameBatch(16), new FrameBatch(16)];
        for (const [id, body] of all.entries()) {
          asked.addRequest(id, body);
          answered.addAnswer(id, id % 2 ? ANSWERED : FAILED, body);
        }
        const requests = [...readRequests(asked.bytes)];
        const answers = [...readAnswers(answered.bytes)];
        expect(bytes(requests.map(({ body }) => body))).toEqual(bytes(all));
        expect(bytes(answers.map(({ body }) => body))).toEqual(bytes(all));
        expect(answers.map(({ status }) => status)).toEqual(
          all.map((_, id) => (id % 2 ? ANSWERED : FAILED)),
        );
      }),
    );
  });

  test("a body is copied when it is given, not when it is sent", () => {
    const batch = new FrameBatch(16);
    const body = Buffer.from("as given");
    batch.addRequest(1, body);
    body.fill(120);
    expect([...readRequests(batch.bytes)].map((request) => `${Buffer.from(request.body)}`)).toEqual(
      ["as given"],
    );
  });

  test("noise is corrupt, and read no further than it reaches", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (noise) => {
        for (const read of [readRequests, readAnswers]) {
          expect(outcomeOf(() => [...read(noise)])).toMatch(/^(read|corrupt)$/);
        }
      }),
    );
  });
});

describe("the place of a record", () => {
  test("the first is 1, and none is given twice", () => {
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
