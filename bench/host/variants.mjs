// The compared variants: a Host with its sandbox, and a View in it. The figures are of `ours`; the others say
// where the time goes.

const EVERYTHING = ["cold", "warm", "traffic", "crowd"];

/** `parts`: the measurements a variant takes part in. */
export const VARIANTS = {
  official: { stack: "official", view: "official", parts: EVERYTHING },
  ours: { stack: "vitrine", view: "vitrine", parts: EVERYTHING },
  "ours, prepared": { stack: "vitrine", view: "vitrine", prepared: true, parts: ["cold", "warm"] },
  "ours, entrance": { stack: "entrance", view: "vitrine", parts: ["cold", "warm"] },
  "ours, warmed": { stack: "warmed", view: "vitrine", prepared: true, parts: ["cold"] },
  hand: { stack: "frames", view: "hand-written-port", parts: EVERYTHING },
  "raw double": { stack: "window", view: "hand-written", parts: ["warm", "traffic"] },
  "raw port": { stack: "port", view: "hand-written-port", parts: ["warm", "traffic"] },
};

/** The variant as the page takes it. */
export function toVariant(name) {
  const { stack, view, prepared } = VARIANTS[name];
  return { name, stack, prepared, page: `/views/${view}` };
}

/** Those names, another one first each time, and every other time backwards. */
export function inTurn(names, number) {
  const first = number % names.length;
  const rotated = [...names.slice(first), ...names.slice(0, first)];
  return Math.floor(number / names.length) % 2 ? rotated.reverse() : rotated;
}
