import type { HostSession } from "../../view/pages/host-session.ts";
import { rotate, type Sample, sampleViews } from "../../view/pages/slices.ts";
import { answerWithTable } from "./answer.ts";
import { loadView, openVariant, type PlacedView, placeView, type Variant } from "./mounted-view.ts";
import { ask, listen, listenToViews } from "./probe-window.ts";
import type { Addresses } from "./stack.ts";

/** Messages through Views that are shown, in slices that the variants take in turn. */
export interface Traffic {
  variants: Variant[];
  stamp: string;
  slices: number;
  warmUp: number;
  calls: number;
  partials: { count: number; length: number };
  /** Bytes of the large tool result. */
  result: number;
}

/** A View that answers, and the one next to it whose tool is still being called. */
interface Pair {
  name: string;
  session: HostSession;
  view: Window;
  waiting: { session: HostSession; view: Window };
}

/** Measures calls, large results and partial inputs. */
export async function runTraffic(task: Traffic, addresses: Addresses): Promise<Sample[]> {
  const placed: PlacedView[] = [];
  const pairs: Pair[] = [];
  const place = async (variant: Variant, done: boolean): Promise<Pair["waiting"]> => {
    const stack = await openVariant(variant, addresses);
    const spoken = listenToViews(1);
    const view = await loadView(stack, variant, { stamp: task.stamp, done });
    const { session, remove } = placeView(stack, view);
    placed.push({ session, remove });
    const [speaker] = (await spoken) as [Window];
    session.listen(false);
    return { session, view: speaker };
  };
  try {
    for (const variant of task.variants) {
      const { name } = variant;
      pairs.push({ name, ...(await place(variant, true)), waiting: await place(variant, false) });
    }
    return await runSlices(pairs, task);
  } finally {
    for (const { remove } of placed) remove();
  }
}

async function runSlices(pairs: Pair[], task: Traffic): Promise<Sample[]> {
  const { slices, calls, warmUp, partials, result } = task;
  // Lazily compiled code and cold caches are part of the first result, not of a round trip.
  await sampleViews(pairs, ["call", "cpuCall"], 1, (pair) => call(pair, warmUp));
  const samples: Sample[] = [];
  for (let slice = 0; slice < slices; slice++) {
    const turn = rotate(pairs, slice);
    const waiting = turn.map(({ name, waiting }) => ({ name, ...waiting }));
    samples.push(
      await sampleViews(turn, ["call", "cpuCall"], 1 / calls, (pair) => call(pair, calls)),
      await sampleViews(waiting, ["partials", "cpuPartials"], 1, (pair) =>
        sendPartials(pair, partials),
      ),
      await whileLarge(result, () =>
        sampleViews(turn, ["result", "cpuResult"], 1, (pair) => call(pair, 1)),
      ),
    );
  }
  return samples;
}

async function call({ view }: Pair, times: number): Promise<number> {
  return (await ask(view, { probe: "call", times }, "called")).took;
}

async function whileLarge<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const undo = answerWithTable(bytes);
  try {
    return await work();
  } finally {
    undo();
  }
}

async function sendPartials(
  { session, view }: Pair["waiting"],
  { count, length }: Traffic["partials"],
): Promise<number> {
  const text = "x".repeat(length);
  await ask(view, { probe: "expect", length }, "expecting");
  const seen = listen(view, "seen");
  const start = performance.now();
  for (let sent = 1; sent <= count; sent++) {
    session.sendPartial({ text: text.slice(0, (length * sent) / count) });
  }
  await seen;
  return performance.now() - start;
}
