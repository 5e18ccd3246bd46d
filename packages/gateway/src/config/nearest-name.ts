/** Returns the most similar name, if it is similar enough to suggest. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(given.length / 3));
  let nearest: string | undefined;
  let least = most + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

/** Counts the letters to insert, remove, replace or swap. */
function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > 64) return Number.POSITIVE_INFINITY;
  const table = [...Array(a.length + 1).keys()].map((row) => [row]);
  const at = (i: number, j: number): number => table[i]?.[j] ?? (i === 0 ? j : Infinity);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Infinity;
      table[i]?.push(
        Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost, swapped),
      );
    }
  }
  return at(a.length, b.length);
}
