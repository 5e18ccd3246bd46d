import { afterEach, expect, test, vi } from "vitest";
import { Pieces } from "../../src/cluster/pieces.ts";

afterEach(() => {
  vi.useRealTimers();
});

const SCRIPTS = ["a", "ü", "語", "🎈"] as const;

/** A text of some hundred characters of all widths, the same for a seed. */
function textOf(seed: number): string {
  let state = seed;
  const next = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % most;
  };
  return Array.from({ length: next(400) }, () =>
    (SCRIPTS[next(SCRIPTS.length)] as string).repeat(next(20)),
  ).join("");
}

test("pieces together are the message, and each of them alone survives the way", () => {
  for (let seed = 0; seed < 300; seed++) {
    const text = textOf(seed);
    const size = 10 + (seed % 90);
    const pieces = new Pieces({ size }).split(text);
    expect(pieces.map((piece) => Buffer.from(piece).toString()).join("")).toBe(text);
    for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(size);
    expect(pieces.length === 1).toBe(new Pieces({ size }).fits(text));
  }
});

test("what is kept under a name is there once, and no more than there is room for", () => {
  const pieces = new Pieces({ size: 10, most: 12 });
  expect(pieces.keep("a", ["12345"])).toBe(true);
  expect(pieces.keep("a", ["67890"])).toBe(true);
  expect(pieces.keep("b", ["123"])).toBe(false);
  expect(pieces.at("a", 1)).toBe("67890");
  expect(pieces.take("a")).toEqual(["12345", "67890"]);
  expect(pieces.take("a")).toEqual([]);
  expect(pieces.keep("b", ["123"])).toBe(true);
});

test("what nobody fetches goes after its time", () => {
  vi.useFakeTimers();
  const pieces = new Pieces({ size: 10, keep: 1_000 });
  pieces.keep("a", ["1"]);
  vi.advanceTimersByTime(999);
  pieces.keep("a", ["2"]);
  vi.advanceTimersByTime(999);
  expect(pieces.at("a", 1)).toBe("2");
  vi.advanceTimersByTime(1);
  expect(pieces.at("a", 0)).toBeUndefined();
});
