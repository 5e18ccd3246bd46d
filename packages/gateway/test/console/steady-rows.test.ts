import { expect, it } from "vitest";
import { mergeRows } from "../../console/steady-rows.ts";

const keyOf = ({ id }: { id: string }): string => id;
const items = (...ids: string[]): { id: string }[] => ids.map((id) => ({ id }));

it("keeps the place of known rows, marks those that are gone, and adds new ones last", () => {
  const first = mergeRows([], items("a", "b", "c"), keyOf);
  const second = mergeRows(first, items("d", "c", "a"), keyOf);
  expect(second.map(({ key, isGone }) => [key, isGone])).toEqual([
    ["a", false],
    ["b", true],
    ["c", false],
    ["d", false],
  ]);
});

it("shows the newest values, and the last ones of a row that is gone", () => {
  const first = mergeRows([], [{ id: "a", calls: 1 }], keyOf);
  const [updated] = mergeRows(first, [{ id: "a", calls: 2 }], keyOf);
  expect(updated?.item).toEqual({ id: "a", calls: 2 });
  const [gone] = mergeRows(first, [], keyOf);
  expect(gone).toEqual({ key: "a", item: { id: "a", calls: 1 }, isGone: true });
});

it("drops rows that are gone before a list grows without end", () => {
  let rows = mergeRows([], items("kept"), keyOf);
  for (let turn = 0; turn < 1200; turn += 1)
    rows = mergeRows(rows, items("kept", `${turn}`), keyOf);
  expect(rows.length).toBeLessThan(1100);
  expect(rows[0]?.key).toBe("kept");
});
