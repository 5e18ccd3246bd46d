/** The name that was probably meant: the nearest candidate, if one is close. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const short = word.slice(0, longestWord).toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(short, name.toLowerCase());
    if (!best || distance < best.distance) best = { name, distance };
  }
  const limit = Math.max(2, Math.floor(short.length / 3));
  return best && best.distance <= limit ? best.name : undefined;
}

// Longer words aren't typos, and the table below grows with them.
const longestWord = 64;

/** Insertions, deletions, substitutions and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  let [beforeLast, last]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (j > 1 && i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
