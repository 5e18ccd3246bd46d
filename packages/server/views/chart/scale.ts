// Numbers to pixels. No DOM.

/** From values to pixels, and the values that are written at the axis. */
export interface Scale {
  from: number;
  to: number;
  ticks: number[];
}

/** The lowest and the highest; undefined of nothing. */
export function extent(
  values: Iterable<number | undefined>,
): [low: number, high: number] | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === undefined) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? undefined : [low, high];
}

/** A scale from round number to round number that holds all values, and zero where it should. */
export function niceScale(
  values: Iterable<number>,
  { count, hasZero }: { count: number; hasZero: boolean },
): Scale {
  const [low, high] = widen(extent(values) ?? [0, 1], hasZero);
  const step = niceStep((high - low) / Math.max(1, count));
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  const ticks: number[] = [];
  // At the ends of what numbers can say a step may be lost; then there is no axis, but no loop either.
  for (let at = first; at <= last && ticks.length < 100; at += 1) ticks.push(round(at * step));
  return { from: ticks[0] ?? low, to: ticks.at(-1) ?? high, ticks };
}

/** Without zero small differences look large; only where all values are far from it they may. */
function widen([low, high]: [number, number], hasZero: boolean): [number, number] {
  const isFar = (near: number, far: number): boolean => Math.abs(near) >= Math.abs(far) / 2;
  const from = low > 0 && (hasZero || !isFar(low, high)) ? 0 : low;
  const to = high < 0 && (hasZero || !isFar(high, low)) ? 0 : high;
  if (from < to) return [from, to];
  return from === 0 ? [0, 1] : [from - Math.abs(from) / 2, to + Math.abs(to) / 2];
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = rough / power;
  const nice = [1, 2, 2.5, 5, 10].find((candidate) => digit <= candidate + 1e-9) ?? 10;
  return nice * power || 1;
}

/** Takes away what binary fractions add: 0.30000000000000004. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}

/** Where between two pixels a value lies. */
export function place(value: number, { from, to }: Scale, start: number, end: number): number {
  const share = to === from ? 0.5 : (value - from) / (to - from);
  return start + Math.min(Math.max(share, -1), 2) * (end - start);
}

/**
 * Indices of at most so many points, with the lowest and highest of each stretch, so that no peak is
 * lost by drawing fewer points than there are.
 */
export function thin(values: readonly (number | undefined)[], most: number): number[] {
  const { length } = values;
  if (length <= most) return values.map((_, at) => at);
  const stretches = Math.max(1, Math.floor(most / 2));
  return Array.from({ length: stretches }, (_, stretch) => {
    const start = Math.floor((stretch * length) / stretches);
    const piece = values.slice(start, Math.floor(((stretch + 1) * length) / stretches));
    const ends = extent(piece) ?? [];
    const places = ends.map((end) => start + piece.indexOf(end));
    return [...new Set(places)].sort((a, b) => a - b);
  }).flat();
}

/** Of places in order, those that are at least so far apart. */
export function spaced(places: readonly number[], gap: number): number[] {
  const kept: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [at, pixel] of places.entries()) {
    if (Math.abs(pixel - last) < gap) continue;
    kept.push(at);
    last = pixel;
  }
  return kept;
}
