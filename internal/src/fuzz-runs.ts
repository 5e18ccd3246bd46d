/**
 * How often a fuzz test repeats itself: `count` times on each push, ten times as often every night, when
 * `.ci/nightly` sets VITRINE_FUZZ.
 */
export function fuzzRuns(count: number): number {
  return count * Number(process.env.VITRINE_FUZZ ?? 1);
}
