import { describe, expect, test } from "vitest";
import { chart } from "../../src/templates/chart.ts";
import { type ChartData, type ChartOptions, readChart } from "../../src/templates/chart-data.ts";
import { outline, slicesOf } from "../../views/chart/pie-shape.ts";
import { rowAfter, rowAt } from "../../views/chart/plot-rows.ts";
import { layOut, stack } from "../../views/chart/plot-shape.ts";
import { extent, niceScale, place, spaced, thin } from "../../views/chart/scale.ts";

const rows = [
  { month: "Mar", north: 3, south: 30, note: "x" },
  { month: "Jan", north: 1, south: 10, note: "y" },
  { month: "Feb", north: "2", south: null, note: "z" },
];

const read = (data: unknown, options: ChartOptions = {}): ChartData => {
  const made = readChart(data, options);
  if (!made) throw new Error("nothing to draw");
  return made;
};

describe("reading", () => {
  test("takes the first text as the name, and every number as a value", () => {
    const { names, series, xLabel, type } = read({ rows: rows.slice(0, 2) });
    expect([names, xLabel, type]).toEqual([["Mar", "Jan"], "Month", "bar"]);
    expect(series).toEqual([
      { key: "north", label: "North", values: [3, 1] },
      { key: "south", label: "South", values: [30, 10] },
    ]);
  });

  test("takes the properties of the config, parses numbers in text, and leaves gaps for missing ones", () => {
    const { names, series } = read(rows, {
      x: "note",
      y: [{ key: "north", label: "Up there" }, "south"],
    });
    expect(names).toEqual(["x", "y", "z"]);
    expect(series.map(({ label, values }) => [label, values])).toEqual([
      ["Up there", [3, 1, 2]],
      ["South", [30, 10, undefined]],
    ]);
  });

  test("takes options from the data, but those of the config count", () => {
    const data = { type: "line", y: ["south"], stacked: true, rows };
    expect(read(data)).toMatchObject({ type: "line", series: [{ key: "south" }] });
    expect(read(data, { type: "area" })).toMatchObject({ type: "area", isStacked: true });
    expect(read(data, { type: "area", stacked: false }).isStacked).toBe(false);
    expect(read({ type: "hologram", rows }).type).toBe("bar");
  });

  test("an object of numbers is a list of them by name", () => {
    const { names, series } = read({ Mon: 3, Tue: 5, note: "x" });
    expect([names, series[0]?.values]).toEqual([
      ["Mon", "Tue"],
      [3, 5],
    ]);
  });

  test("lines go in the order of their moments or numbers, bars as they came", () => {
    const dated = [
      { day: "2026-03-03", n: 3 },
      { day: "2026-03-01", n: 1 },
    ];
    expect(read(dated, { type: "line" })).toMatchObject({
      xKind: "time",
      names: ["2026-03-01", "2026-03-03"],
      series: [{ values: [1, 3] }],
    });
    expect(read(dated, { type: "bar" }).names).toEqual(["2026-03-03", "2026-03-01"]);
    const numbered = [
      { a: 9, b: 1 },
      { a: 2, b: 5 },
    ];
    expect(read(numbered, { type: "line", x: "a" })).toMatchObject({ xKind: "number", xs: [2, 9] });
    expect(read(rows, { type: "line", y: ["north"] }).xKind).toBe("name");
  });

  test.each([[undefined], [null], ["text"], [{ rows: [{ a: "x" }] }], [{ a: 1 }]])(
    "finds nothing to draw in %j",
    (data) => {
      expect(readChart(data, {})).toBeUndefined();
    },
  );

  test("inherited properties and infinite numbers are gaps", () => {
    const data = JSON.parse('[{"__proto__":{"n":7},"name":"a"},{"name":"b","n":1e999},{"n":2}]');
    expect(read(data, { y: "n", x: "name" }).series[0]?.values).toEqual([undefined, undefined, 2]);
    expect(read(data, { y: "constructor", x: "name" }).series[0]?.values).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("rows and properties without end have one", () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, at]));
    const { series, isCut } = read([{ name: "a", ...wide }]);
    expect([series.length, isCut]).toEqual([24, true]);
    const long = Array.from({ length: 30_000 }, (_, at) => ({ name: `${at}`, n: at }));
    expect(read(long)).toMatchObject({ isCut: true });
    expect(read(long).names).toHaveLength(20_000);
  });
});

describe("a scale", () => {
  const ticks = (values: number[], hasZero = false): number[] =>
    niceScale(values, { count: 5, hasZero }).ticks;

  test("has round numbers, and zero where it belongs", () => {
    expect(ticks([1, 97], true)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks([0.1, 0.7])).toEqual([0, 0.2, 0.4, 0.6, 0.8]);
    expect(ticks([-30, 40])).toEqual([-40, -20, 0, 20, 40]);
    expect(ticks([980, 1010])[0]).toBeGreaterThan(900);
    expect(ticks([980, 1010], true)[0]).toBe(0);
    expect(ticks([-5, -90], true).at(-1)).toBe(0);
  });

  test("is there for nothing, for one value, and for the largest of numbers", () => {
    expect(ticks([])).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    for (const values of [[7], [0], [-3], [1e100, -1e100], [5e-324], [1e15, 1e15 + 1]]) {
      const { from, to, ticks } = niceScale(values, { count: 5, hasZero: true });
      expect(ticks.length).toBeLessThanOrEqual(100);
      expect(place(values[0] ?? 0, { from, to, ticks }, 0, 100)).not.toBeNaN();
    }
  });

  test("of fewer points than there are keeps every peak", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => (at === 7777 ? 99 : at % 3));
    values[1234] = -50;
    const kept = thin(values, 200);
    expect(kept.length).toBeLessThanOrEqual(200);
    expect(kept).toEqual([...kept].sort((a, b) => a - b));
    expect(kept).toContain(7777);
    expect(kept).toContain(1234);
    expect(thin([1, undefined, 3], 10)).toEqual([0, 1, 2]);
    expect(extent([undefined])).toBeUndefined();
    expect(spaced([0, 5, 12, 14, 30], 10)).toEqual([0, 2, 4]);
  });
});

describe("a plot", () => {
  const room = {
    width: 600,
    isRtl: false,
    hasLabels: { x: false, y: false },
    writeName: (row: number) => `name ${row}`,
    writeNumber: String,
    writeValue: String,
  };
  const shapeOf = (made: ChartData, changes: Partial<typeof room> = {}) =>
    layOut(made, stack(made), { ...room, ...changes });

  test("puts everything within itself, from left to right, or the other way", () => {
    for (const type of ["bar", "line", "area", "scatter"] as const) {
      for (const isRtl of [false, true]) {
        const made = read(rows, { type, x: "month", y: ["north", "south"] });
        const shape = shapeOf(made, { isRtl });
        const places = shape.rows.map(shape.along);
        expect(places).toEqual([...places].sort((a, b) => (a - b) * (isRtl ? -1 : 1)));
        for (const value of [1, 30]) {
          expect(shape.across(value)).toBeGreaterThanOrEqual(shape.top);
          expect(shape.across(value)).toBeLessThanOrEqual(shape.bottom);
        }
        expect(Math.min(...places)).toBeGreaterThanOrEqual(shape.left);
        expect(Math.max(...places)).toBeLessThanOrEqual(shape.right);
      }
    }
  });

  test("lies where names would not fit below their bars", () => {
    const made = read(rows, { y: "north" });
    expect(shapeOf(made).isHorizontal).toBe(false);
    const writeName = (): string => "A name of forty letters, more or less so";
    expect(shapeOf(made, { writeName, width: 320 }).isHorizontal).toBe(true);
    const fixed = read(rows, { y: "north", horizontal: false });
    expect(shapeOf(fixed, { writeName, width: 320 }).isHorizontal).toBe(false);
    expect(shapeOf(read(rows, { y: "north", horizontal: true })).isHorizontal).toBe(true);
  });

  test("stacks what is above zero on what is above, and hangs what is below", () => {
    const data = [{ name: "a", p: 2, q: -3, r: 4 }];
    const made = read(data, { stacked: true });
    expect(stack(made).map((one) => one[0])).toEqual([
      [0, 2],
      [0, -3],
      [2, 6],
    ]);
    const shape = shapeOf(made);
    expect(shape.across(6)).toBeGreaterThanOrEqual(shape.top);
    expect(shape.across(-3)).toBeLessThanOrEqual(shape.bottom);
  });

  test("counts the bars that don't fit", () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ name: `${at}`, n: at }));
    const shape = shapeOf(read(many));
    expect(shape.rows.length + shape.hidden).toBe(500);
    expect(shape.rows.length).toBeLessThan(70);
    expect(shapeOf(read(many, { type: "line" })).hidden).toBe(0);
  });

  test("is read by keys and by the pointer", () => {
    const made = read(rows, { y: "north" });
    const shape = shapeOf(made);
    const press = (key: string, active?: number, isRtl = false) =>
      rowAfter(key, [0, 1, 2], active, isRtl);
    expect(press("ArrowRight")).toBe(0);
    expect(press("ArrowRight", 2)).toBe(2);
    expect(press("ArrowLeft")).toBe(2);
    expect(press("ArrowLeft", 1, true)).toBe(2);
    expect([press("Home", 2), press("End", 0), press("Escape", 1)]).toEqual([0, 2, "none"]);
    expect([press("Escape"), press("a", 1)]).toEqual([undefined, undefined]);
    const point = { chart: made, stacks: stack(made), shape };
    expect(rowAt(shape.along(1) + 4, 10, point)).toBe(1);
    const points = read(
      [
        { a: 1, b: 1 },
        { a: 1.1, b: 9 },
        { a: 50, b: 5 },
      ],
      { type: "scatter" },
    );
    const cloud = shapeOf(points);
    expect(
      rowAt(cloud.along(0), cloud.across(9), {
        chart: points,
        stacks: stack(points),
        shape: cloud,
      }),
    ).toBe(1);
  });
});

describe("a pie", () => {
  const pie = (values: number[]) =>
    slicesOf(
      read(
        values.map((n, at) => ({ name: `${at}`, n })),
        { type: "pie" },
      ),
    );

  test("has a slice for each value above zero, and one for the rest of many", () => {
    const { slices, left } = pie([3, 1, 0, -2]);
    expect(slices.map(({ share }) => share)).toEqual([0.75, 0.25]);
    expect(left).toBe(2);
    const many = pie([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).slices;
    expect(many).toHaveLength(7);
    expect(many.map(({ value }) => value)).toEqual([10, 9, 8, 7, 6, 5, 10]);
    expect(many.at(-1)?.rows).toEqual([3, 2, 1, 0]);
    expect(many.at(-1)?.to).toBeCloseTo(1);
  });

  test("of one value is a whole circle", () => {
    const [slice] = pie([5]).slices;
    if (!slice) throw new Error("no slice");
    expect(outline(slice, 10, 0).match(/A/g)).toHaveLength(2);
    expect(outline(slice, 10, 6).match(/A/g)).toHaveLength(4);
  });
});

test("without a View the model reads a table", () => {
  const text = chart({ title: "Sales", x: "month", y: ["north"] }).describe?.({ rows });
  expect(text).toContain("| Month | North |");
  expect(text).toContain("| Jan | 1 |");
  expect(chart().describe?.({ other: "thing" })).toContain("thing");
});

test("fits schemas of rows with one name and numbers, and takes both from there", () => {
  const schema = (properties: object) => ({
    type: "object",
    properties: { rows: { type: "array", items: { type: "object", properties } } },
  });
  const day = { type: "string", format: "date" };
  const count = { type: "integer", title: "Visitors" };
  expect(chart.fit(schema({ day, count }))).toBeGreaterThan(0.8);
  expect(chart.fit(schema({ day, note: { type: "string" }, count }))).toBeLessThan(0.5);
  expect(chart.fit(schema({ day }))).toBe(0);
  expect(chart.configFor(schema({ day, count }))).toEqual({
    type: "line",
    x: "day",
    xLabel: "Day",
    y: [{ key: "count", label: "Visitors" }],
  });
});
