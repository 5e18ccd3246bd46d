import { readCpu, type Sample, settle } from "../../view/pages/slices.ts";
import { loadView, openVariant, placeView, type Variant } from "./mounted-view.ts";
import { ask, listenToViews } from "./probe-window.ts";
import type { Addresses } from "./stack.ts";

/** Views to be shown at once, of each variant in turn. */
export interface Showing {
  variants: Variant[];
  stamp: string;
  count: number;
  /** Calls of one View while the others live. */
  calls?: number;
  /** Leaves them in the page, so that their processes stay. */
  keep?: boolean;
}

const WARM_UP = 20;

/** Measures from the moment a page wants the Views until the last of them has shown its result. */
export async function show(task: Showing, addresses: Addresses): Promise<Sample[]> {
  const sample: Sample = {};
  for (const variant of task.variants) {
    sample[variant.name] = await showVariant(variant, task, addresses);
  }
  return [sample];
}

async function showVariant(
  variant: Variant,
  { stamp, count, calls, keep }: Showing,
  addresses: Addresses,
): Promise<Record<string, number>> {
  const stack = await openVariant(variant, addresses);
  const view = await loadView(stack, variant, { stamp, done: true });
  if (variant.prepared) await stack.prepare?.(view);
  await settle();
  const cpu = await readCpu();
  const shown = listenToViews(count);
  const start = performance.now();
  const placed = Array.from({ length: count }, () => placeView(stack, view));
  const [first] = await shown;
  const times: Record<string, number> = { show: performance.now() - start };
  times.cpuShow = (await readCpu()) - cpu;
  if (calls && first) Object.assign(times, await measureCalls(first, calls));
  if (!keep) for (const view of placed) view.remove();
  return times;
}

async function measureCalls(view: Window, calls: number): Promise<Record<string, number>> {
  await ask(view, { probe: "call", times: WARM_UP }, "called");
  const cpu = await readCpu();
  const { took } = await ask(view, { probe: "call", times: calls }, "called");
  return { call: took / calls, cpuCall: ((await readCpu()) - cpu) / calls };
}
