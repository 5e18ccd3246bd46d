import { afterEach, expect, test, vi } from "vitest";
import { Chunks } from "../src/routing/chunks.ts";

afterEach(() => {
  vi.useRealTimers();
});

const SCRIPTS = ["a", "ü", "語", "🎈"] as const;

/** A text of some hundred characters of all widths, reproducible by its seed. */
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

test("chunks form the message again, and each chunk is valid UTF-8", () => {
  for (let seed = 0; seed < 300; seed++) {
    const text = textOf(seed);
    const size = 10 + (seed % 90);
    const pieces = new Chunks({ size }).split(text);
    expect(pieces.map((piece) => Buffer.from(piece).toString()).join("")).toBe(text);
    for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(size);
    expect(pieces.length === 1).toBe(Buffer.byteLength(text) <= size);
  }
});

test("returns kept chunks once, and rejects chunks beyond its limit", () => {
  const pieces = new Chunks({ size: 10, most: 12 });
  expect(pieces.keep("a", ["12345"])).toBe(true);
  expect(pieces.keep("a", ["67890"])).toBe(true);
  expect(pieces.keep("b", ["123"])).toBe(false);
  expect(pieces.at("a", 1)).toBe("67890");
  expect(pieces.take("a")).toEqual(["12345", "67890"]);
  expect(pieces.take("a")).toEqual([]);
  expect(pieces.keep("b", ["123"])).toBe(true);
});

test("drops chunks that aren't fetched in time", () => {
  vi.useFakeTimers();
  const pieces = new Chunks({ size: 10, keep: 1_000 });
  pieces.keep("a", ["1"]);
  vi.advanceTimersByTime(999);
  pieces.keep("a", ["2"]);
  vi.advanceTimersByTime(999);
  expect(pieces.at("a", 1)).toBe("2");
  vi.advanceTimersByTime(1);
  expect(pieces.at("a", 0)).toBeUndefined();
});
