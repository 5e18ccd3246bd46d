import fc from "fast-check";
import type { Fields, Shape } from "../../src/apps/shape.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

// Strings with a rule of their own cannot be guessed; these satisfy and break the date-time one.
const dates = [
  "2026-01-26T12:00:00Z",
  "2024-02-29T23:59:59.123+05:30",
  "2000-02-29T00:00:00-23:59",
  "0000-02-29T00:00:00Z",
];
const wrongDates = [
  "2026-02-29T12:00:00Z",
  "1900-02-29T12:00:00Z",
  "2026-04-31T12:00:00Z",
  "2026-00-10T12:00:00Z",
  "2026-13-10T12:00:00Z",
  "2026-01-00T12:00:00Z",
  "2026-01-32T12:00:00Z",
  "2026-01-26T24:00:00Z",
  "2026-01-26T12:60:00Z",
  "2026-01-26T12:00:60Z",
  "2026-01-26T12:00Z",
  "2026-01-26T12:00:00",
  "2026-01-26T12:00:00+24:00",
  "2026-01-26T12:00:00+05:60",
  "2026-01-26T12:00:00.Z",
  "2026-01-26 12:00:00Z",
  "2026-01-26t12:00:00z",
  "26-01-26T12:00:00Z",
  " 2026-01-26T12:00:00Z",
  "2026-01-26T12:00:00Z\n",
];

const anything: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>;

/** Values that have a shape, read strictly. */
export function arbitraryOf(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.is) {
    case "any":
      return anything;
    case "boolean":
      return fc.boolean();
    case "string":
      return shape.test ? fc.constantFrom(...dates) : fc.string({ maxLength: 8 });
    case "number":
      return shape.integer
        ? fc.maxSafeInteger()
        : fc.double({
            noNaN: true,
            noDefaultInfinity: true,
            min: shape.min ?? -1e9,
            max: shape.max ?? 1e9,
          });
    case "literal":
      return fc.constantFrom(...shape.values);
    case "array":
      return fc.array(arbitraryOf(shape.of), { maxLength: 3 });
    case "record":
      return fc.dictionary(keysOf(shape), arbitraryOf(shape.of), { maxKeys: 3 });
    case "object":
      return objectOf(shape.required, shape.optional, shape.open);
    case "tagged":
      return fc.oneof(...Object.values(shape.cases).map(arbitraryOf));
    case "union":
      return fc.oneof(...shape.of.map(arbitraryOf));
    case "default":
      return arbitraryOf(shape.of);
    case "tolerant":
      return arbitraryOf(shape.strict);
  }
}

function keysOf(shape: Extract<Shape, { is: "record" }>): fc.Arbitrary<string> {
  return shape.keys ? fc.constantFrom("--font-sans", "--shadow-lg") : fc.string({ maxLength: 5 });
}

function objectOf(required: Fields, optional: Fields, open: boolean): fc.Arbitrary<unknown> {
  const all = { ...required, ...optional };
  const fields = Object.fromEntries(
    Object.entries(all).map(([key, field]) => [key, arbitraryOf(field)]),
  );
  const known = fc.record(fields, { requiredKeys: Object.keys(required) });
  if (!open) return known;
  return fc
    .tuple(known, fc.dictionary(fc.constantFrom("vendor/x", "ttlMs"), anything, { maxKeys: 2 }))
    .map(([value, extra]) => ({ ...extra, ...value }));
}

const wrong: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  "",
  "elsewhere",
  [],
  [null],
  {},
  { type: "text" },
  ...wrongDates,
];

/** The same value with one thing changed somewhere: a key dropped, added or replaced. */
export function mutationOf(value: unknown): fc.Arbitrary<unknown> {
  return fc
    .record({
      at: fc.nat(),
      how: fc.constantFrom("drop", "replace", "add"),
      by: fc.constantFrom(...wrong),
    })
    .map(({ at, how, by }) => {
      const root = { root: structuredClone(value) };
      const spots = spotsIn(root);
      const spot = spots[at % spots.length] as Spot;
      apply(spot, how, structuredClone(by));
      return root.root;
    });
}

interface Spot {
  holder: Record<string, unknown> | unknown[];
  key: string;
}

function spotsIn(holder: Record<string, unknown> | unknown[]): Spot[] {
  return Object.keys(holder).flatMap((key) => {
    const item = (holder as Record<string, unknown>)[key];
    const inner = typeof item === "object" && item !== null ? spotsIn(item as unknown[]) : [];
    return [{ holder, key }, ...inner];
  });
}

function apply({ holder, key }: Spot, how: string, by: unknown): void {
  const table = holder as Record<string, unknown>;
  const item = table[key];
  if (how === "add" && typeof item === "object" && item !== null && !Array.isArray(item)) {
    (item as Record<string, unknown>).unheardOf = by;
  } else if (how === "drop" && !Array.isArray(holder) && key !== "root") {
    delete table[key];
  } else {
    table[key] = by;
  }
}
