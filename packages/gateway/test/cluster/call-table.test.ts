import { expect, test } from "vitest";
import { CallTable } from "../../src/cluster/call-table.ts";

test("what is under a number is found until it is deleted, and never again", () => {
  const table = new CallTable<string>();
  const numbers = ["a", "b", "c"].map((value) => {
    const number = table.take();
    table.set(number, value);
    return number;
  });
  expect(numbers.map((number) => table.get(number))).toEqual(["a", "b", "c"]);
  expect([...table].sort()).toEqual(["a", "b", "c"]);
  table.delete(numbers[1] as number);
  expect(numbers.map((number) => table.get(number))).toEqual(["a", undefined, "c"]);
  // Twice is once.
  table.delete(numbers[1] as number);
  const next = table.take();
  table.set(next, "d");
  expect(table.get(numbers[1] as number)).toBeUndefined();
  expect([...table].sort()).toEqual(["a", "c", "d"]);
});

test("no number is given twice, however often a place is used", () => {
  const table = new CallTable<number>();
  const seen = new Set<number>();
  for (let turn = 0; turn < 10_000; turn++) {
    const number = table.take();
    expect(Number.isSafeInteger(number)).toBe(true);
    seen.add(number);
    table.set(number, turn);
    if (turn % 7 !== 0) table.delete(number);
  }
  expect(seen.size).toBe(10_000);
  expect([...table]).toHaveLength(Math.ceil(10_000 / 7));
});

test("numbers stay small: they begin again, and none that is in use is given", () => {
  const last = 2 ** 30 - 1;
  const table = new CallTable<string>(last - 3);
  const before = [table.take(), table.take()];
  for (const number of before) table.set(number, `call ${number}`);
  expect(before).toEqual([last - 2, last - 1]);
  expect(table.take()).toBe(last);
  // These have the places that the numbers after them want.
  const early = new CallTable<string>();
  const held = Array.from({ length: 100 }, () => early.take());
  for (const number of held) early.set(number, `call ${number}`);
  const given = new Set<number>();
  for (let turn = 0; turn < 5_000; turn++) {
    const number = early.take();
    given.add(number);
    early.set(number, "brief");
    early.delete(number);
  }
  expect(given.size).toBe(5_000);
  for (const number of held)
    expect([number, early.get(number)]).toEqual([number, `call ${number}`]);
  expect(table.take()).toBe(1);
});

// Free places were moved too, all of them onto the first one, and with it whoever had it lost its answer.
test("whoever has a place keeps what is under its number when more places are made", () => {
  for (const last of [0, 1, 255, 256, 384, 500, 511, 1_000, 2 ** 30 - 40]) {
    const table = new CallTable<string>(last);
    const held = Array.from({ length: 1_000 }, () => {
      const number = table.take();
      table.set(number, `call ${number}`);
      return number;
    });
    const found = held.map((number) => table.get(number));
    expect(found).toEqual(held.map((number) => `call ${number}`));
    expect([...table]).toHaveLength(1_000);
  }
});

test("a number that was never given stands for nothing", () => {
  const table = new CallTable<string>();
  for (const number of [0, 1, -1, 0.5, Number.NaN, 2 ** 21, Number.MAX_SAFE_INTEGER]) {
    table.delete(number);
    table.set(number, "x");
    expect(table.get(number)).toBeUndefined();
  }
  expect([...table]).toEqual([]);
});

test("what is deleted while all are gone through does not stop the others from having their turn", () => {
  const table = new CallTable<number>();
  const numbers = Array.from({ length: 5 }, (_, value) => {
    const number = table.take();
    table.set(number, value);
    return number;
  });
  const seen: number[] = [];
  for (const value of table) {
    seen.push(value);
    table.delete(numbers[value] as number);
  }
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect([...table]).toEqual([]);
});
