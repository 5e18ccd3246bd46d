/** The candidate closest to the text; nothing if none is close. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(text, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // Two swapped letters count as two; three changes of a short word make another word.
  const most = text.length < 6 ? 2 : Math.max(3, text.length / 3);
  return best && best.distance <= most ? best.candidate : undefined;
}

/** The number of characters to change, add and remove (Levenshtein), row by row. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
