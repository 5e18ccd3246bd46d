// Short slices of work that the variants take in turn.

import type { HostSession } from "./host-session.ts";

/** What each variant took side by side, in milliseconds; `cpu…` is of all the browser's processes. */
export type Sample = Record<string, Record<string, number>>;

/** A View of one variant, and the Host that answers it. */
interface NamedView {
  name: string;
  session: HostSession;
}

const SETTLING = 30;

/** Has each View do the same work, and notes what it took: wall time by its own count, and CPU. */
export async function sampleViews<View extends NamedView>(
  views: View[],
  [wall, cpu]: [string, string],
  factor: number,
  work: (view: View) => Promise<number>,
): Promise<Sample> {
  const sample: Sample = {};
  for (const view of views) {
    const before = await readCpu();
    const took = await whileListening(view, () => work(view));
    const used = (await readCpu()) - before;
    sample[view.name] = { [wall]: took * factor, [cpu]: used * factor };
  }
  return sample;
}

/** Lets the Host receive its View's messages while the work runs. */
export async function whileListening<T>(
  { session }: NamedView,
  work: () => Promise<T>,
): Promise<T> {
  session.listen(true);
  const result = await work();
  session.listen(false);
  return result;
}

/** The same items, another one first. */
export function rotate<T>(items: T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** Lets the removal of the View before come to its end, so that it does not count for the next. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLING));
}

/** Milliseconds of CPU that all processes of this browser have used. */
export async function readCpu(): Promise<number> {
  return Number(await (await fetch(`/cpu${location.search}`)).text());
}
