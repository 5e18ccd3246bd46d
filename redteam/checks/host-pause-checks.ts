import type { Page } from "playwright";
import { openView } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, type Scene, unless, unlessTried } from "./check.ts";

/** Longest pause of the host's page that a view may cause, in ms. */
const LONGEST_PAUSE = 100;
const SECONDS = 5;
const REPEATS = 2;

/** How the host's page fared while it used a hostile view's tools, and in quiet turns between. */
export interface Pauses {
  /** Longest pause in ms while the tools were listed and called. */
  busy: number;
  /** Longest pause in ms while nothing was done: the machine's other work. */
  quiet: number;
  /** Most processor time in ms that the page's main thread spent on one list or call. */
  work: number;
  /** What took that time. */
  during: string;
  /** Tools that were called. */
  calls: number;
  /** Calls whose result was taken. */
  taken: number;
}

/** A view whose tools are made to keep the host's page busy. */
function busyTools(): string {
  return hostedView(async () => {
    const many = (item: unknown, length: number) => new Array(length).fill(item);
    const of = (v: object) => ({ type: "object", properties: { v } });
    const numbers = { v: many(1, 19_000) };
    const keys = { v: Object.fromEntries(many(1, 19_000).map((one, at) => [`k${at}`, one])) };
    let deep: unknown = 1;
    for (let at = 0; at < 40; at += 1) deep = { a: deep };
    const rows = { v: many(deep, 450) };
    const text = (value: string) => ({ content: [{ type: "text", text: value }] });
    const data = (structuredContent: object) => ({ content: [], structuredContent });
    // Schemas just small enough to be offered, and results just small enough to be sent.
    const offers: Record<string, { outputSchema?: object; result: () => object }> = {
      members: {
        outputSchema: of({ items: { allOf: many(true, 3000) } }),
        result: () => data(numbers),
      },
      types: {
        outputSchema: of({ items: { type: [...many("x", 3800), "number"] } }),
        result: () => data(numbers),
      },
      alternatives: {
        outputSchema: of({ items: { oneOf: [...many(false, 2500), true] } }),
        result: () => data(numbers),
      },
      keys: {
        outputSchema: of({ allOf: many({ additionalProperties: true }, 400) }),
        result: () => data(keys),
      },
      items: {
        outputSchema: of({ allOf: many({ items: true }, 1000) }),
        result: () => data(numbers),
      },
      depth: { outputSchema: of({ items: { enum: many(deep, 20) } }), result: () => data(rows) },
      // As large as it gets without being too large for the relay.
      "long text": { result: () => text("x".repeat(1_000_000)) },
      "hidden text": { result: () => text("\u{e0141}".repeat(250_000)) },
      "many blocks": { result: () => ({ content: many(text("x").content[0], 4500) }) },
      "many keys": { result: () => data(keys) },
      "too many values": { result: () => data({ v: many(1, 99_000) }) },
      "large schema": {
        outputSchema: of({ items: { allOf: many(true, 5000) } }),
        result: () => data(numbers),
      },
    };
    globalThis.serve = (method, params) => {
      const { name, cursor } = Object(params) as { name?: string; cursor?: string };
      if (method === "tools/call") return offers[name ?? ""]?.result() ?? {};
      const annotations = { readOnlyHint: true };
      const inputSchema = { type: "object", properties: { a: { enum: many("x", 3500) } } };
      const hostile = Object.entries(offers).map(([offered, { outputSchema }]) => ({
        name: offered,
        description: "y".repeat(9000),
        inputSchema: { type: "object" },
        annotations,
        ...(outputSchema && { outputSchema }),
      }));
      const more = many(0, 5).map((_, at) => ({
        name: `${cursor}${at}`,
        inputSchema,
        annotations,
      }));
      return { tools: cursor ? more : hostile, nextCursor: `${cursor ?? ""}+` };
    };
    await greet({ appCapabilities: { tools: { listChanged: true } } });
    setInterval(() => tell("notifications/tools/list_changed"), 100);
  });
}

/** Uses a hostile view's tools for some seconds, in turns with doing nothing. */
export async function measurePauses(scene: Scene, seconds: number): Promise<Pauses> {
  const host = await openView(scene, busyTools());
  const { page } = host;
  const mainThread = await watchMainThread(page);
  await page.evaluate(prepare);
  const found: Pauses = { busy: 0, quiet: 0, work: 0, during: "", calls: 0, taken: 0 };
  const measure = async (act: () => Promise<unknown>): Promise<[work: number, pause: number]> => {
    const before = await mainThread();
    await page.evaluate(() => window.pauses.restart());
    await act();
    const pause = await page.evaluate(() => window.pauses.longest());
    return [Math.round((await mainThread()) - before), pause];
  };
  const during = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    let [work, pause] = await measure(act);
    for (let more = 0; more < REPEATS && Math.max(work, pause) > LONGEST_PAUSE; more += 1) {
      // What a view causes comes back when the same is done again; what the machine causes rarely does.
      const again = await measure(act);
      work = Math.min(work, again[0]);
      pause = Math.min(pause, again[1]);
    }
    found.busy = Math.max(found.busy, pause);
    if (work > found.work) Object.assign(found, { work, during: what });
  };
  const end = performance.now() + seconds * 1000;
  do {
    let names: string[] = [];
    await during("list", async () => {
      names = await page.evaluate(() => window.pauses.list());
    });
    for (const name of names) {
      await during(name, async () => {
        found.taken += await page.evaluate((own) => window.pauses.call(own), name);
        found.calls += 1;
      });
    }
    const quiet = await page.evaluate(async () => {
      window.pauses.restart();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return window.pauses.longest();
    });
    found.quiet = Math.max(found.quiet, quiet);
  } while (performance.now() < end);
  return found;
}

declare global {
  interface Window {
    pauses: {
      restart(): void;
      longest(): number;
      list(): Promise<string[]>;
      call(ownName: string): Promise<number>;
    };
  }
}

/** In the host's page: a clock that notices pauses, and a product that uses the view's tools. */
function prepare(): void {
  const { bridge } = window.site.host.views.get("view") ?? {};
  if (!bridge) throw new Error("The view is not there.");
  const own = window.site.createAppTools(bridge);
  const names = new Map<string, string>();
  let longest = 0;
  let last = performance.now();
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, Math.round(now - last));
    last = now;
  };
  setInterval(tick, 4);
  window.pauses = {
    restart: () => {
      tick();
      longest = 0;
    },
    longest: () => {
      tick();
      return longest;
    },
    list: async () => {
      for (const { tool, ownName } of await own.list()) names.set(ownName, tool.name);
      // The rest of the list is there to be read, not called.
      return [...names.keys()].filter((name) => /^[a-z]/.test(name));
    },
    call: (ownName) =>
      own.call(names.get(ownName) ?? "").then(
        () => 1,
        () => 0,
      ),
  };
}

/** Reads the processor time of a page's main thread, in ms. */
async function watchMainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  // Unlike the clock's, these times don't grow with the machine's other work.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
  };
}

/** No pause was too long by the clock; or, on a machine that pauses by itself, no work was. */
export function pauseComplaints({ busy, quiet, work, during }: Pauses): string[] {
  return unless(
    busy <= LONGEST_PAUSE || work <= LONGEST_PAUSE,
    `the host worked ${work} ms on "${during}"; it paused ${busy} ms at most, and ${quiet} ms in quiet turns`,
  );
}

/** How long a view can keep the host's page from answering its user. */
export const HOST_PAUSE_CHECKS: readonly Check[] = [
  {
    id: "host-tool-pauses",
    title: "S23: schemas, lists and results of a view's tools pause the host 100 ms at most",
    entries: [232],
    stages: ["tier-2"],
    alone: true,
    async run(scene) {
      const pauses = await measurePauses(scene, SECONDS);
      return [
        ...unlessTried(pauses.calls >= 9 && pauses.taken > 0, `${pauses.calls} calls were made`),
        ...pauseComplaints(pauses),
      ];
    },
  },
];
