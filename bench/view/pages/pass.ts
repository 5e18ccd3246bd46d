import { type MountedView, mountView, unmountView, type Variant } from "./mounted-view.ts";
import { ask, listen } from "./probe-link.ts";
import { readCpu, rotate, type Sample, sampleViews, settle, whileListening } from "./slices.ts";
import { loadViewPage } from "./view-page-source.ts";

/** One pass over the variants, as `rounds.mjs` orders it. */
export interface Pass {
  relay: string;
  variants: Variant[];
  /** Makes the scripts of this pass new source text. */
  stamp: string;
  /** Calls and partials, in slices that the variants take in turn; none: insertions only. */
  traffic?: Traffic;
}

interface Traffic {
  warmUp: number;
  calls: number;
  partials: number;
  /** Of the longest partial, in characters. */
  length: number;
  slices: number;
}

/** Measures every variant: a sample of the insertions, and one of each slice of traffic. */
export async function runPass({ variants, relay, stamp, traffic }: Pass): Promise<Sample[]> {
  const views: MountedView[] = [];
  const insertions: Sample = {};
  try {
    for (const variant of variants) {
      const html = await loadViewPage(variant.page, stamp);
      await settle();
      const cpu = await readCpu();
      const view = await mountView(variant, relay, html);
      const { empty, script, insert } = view;
      const cpuInsert = (await readCpu()) - cpu;
      insertions[variant.name] = { empty, script, insert, cpuInsert };
      if (traffic) views.push(view);
      else unmountView(view);
    }
    return [insertions, ...(traffic ? await runTraffic(views, traffic) : [])];
  } finally {
    for (const view of views) unmountView(view);
  }
}

/** Short slices in turn: what disturbs one variant disturbs its neighbours too. */
async function runTraffic(views: MountedView[], traffic: Traffic): Promise<Sample[]> {
  const { warmUp, calls, partials, slices } = traffic;
  // Lazily compiled code and cold caches are part of the first result, not of a round trip.
  for (const view of views) await whileListening(view, () => call(view, warmUp));
  const samples: Sample[] = [];
  for (let slice = 0; slice < slices; slice++) {
    samples.push(
      await sampleViews(rotate(views, slice), ["call", "cpuCall"], slices / calls, (view) =>
        call(view, calls / slices),
      ),
      await sampleViews(rotate(views, slice), ["partials", "cpuPartials"], slices, (view) =>
        sendPartials(view, partials / slices, traffic.length),
      ),
    );
  }
  return samples;
}

async function call({ frame }: MountedView, times: number): Promise<number> {
  return (await ask(frame, { probe: "call", times }, "called")).took;
}

async function sendPartials(
  { frame, session }: MountedView,
  count: number,
  length: number,
): Promise<number> {
  const text = "x".repeat(length);
  await ask(frame, { probe: "expect", length }, "expecting");
  const seen = listen(frame, "seen");
  const start = performance.now();
  for (let sent = 1; sent <= count; sent++) {
    session.sendPartial({ text: text.slice(0, (length * sent) / count) });
  }
  await seen;
  return performance.now() - start;
}
