import { openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { CDPSession } from "playwright";
import { expect, test } from "vitest";
import type {} from "./pages/hosted.ts";
import { sdkView } from "./sdk-view.ts";

// `CYCLES=1000` is the size that is promised; a hundred notice a leak as well, in a tenth of the time.
const CYCLES = Number(process.env.CYCLES ?? 100);
const AT_ONCE = 5;

test(`${CYCLES} Views that come and go leave no frame, listener, port or memory behind`, async () => {
  const stage = await openHostStage();
  const program = new URL("./pages/hosted.ts", import.meta.url);
  const page = await openHostPage(stage, { program });
  const cdp = await stage.context.newCDPSession(page);
  await cdp.send("Performance.enable");
  await page.evaluate(
    ({ entrance, html }) => {
      const { hosted } = window;
      hosted.open({ entrance, way: "register" });
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      Object.assign(window, {
        cycle: async (key: string) => {
          const place = hosted.place(`place-${key}`);
          const view = hosted.host.mount(place, hosted.app(key, upstream, "show"));
          await new Promise<void>((resolve) =>
            view.onStage((stage) => stage === "initialized" && resolve()),
          );
          view.update({ input: { key }, result: { content: [{ type: "text", text: key }] } });
          await view.close();
          await hosted.host.forget(key);
          place.remove();
        },
      });
    },
    { entrance: stage.entrance, html: await sdkView("") },
  );

  const run = (from: number, count: number): Promise<void> =>
    page.evaluate(
      async ({ from, count, width }) => {
        const { cycle, hosted } = window as never as Window & {
          cycle(key: string): Promise<void>;
        };
        let next = from;
        const work = async (): Promise<void> => {
          while (next < from + count) await cycle(`view-${next++}`);
        };
        await Promise.all(Array.from({ length: width }, work));
        // Diagnostics that this test keeps aren't a leak of the Host.
        hosted.diagnostics.length = 0;
      },
      { from, count, width: AT_ONCE },
    );

  const weigh = async () => {
    // Longer than any timer that a View leaves running.
    await page.waitForTimeout(4000);
    for (let turn = 0; turn < 3; turn++) await cdp.send("HeapProfiler.collectGarbage");
    const { metrics } = await cdp.send("Performance.getMetrics");
    const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return {
      frames: page.frames().length,
      listeners: of("JSEventListeners"),
      nodes: of("Nodes"),
      heap: await weighHeap(cdp),
    };
  };

  // Modules and caches that load only once aren't a leak either.
  await run(0, 50);
  const before = await weigh();
  await run(50, CYCLES);
  const after = await weigh();
  expect(after.frames).toBe(1);
  expect(await page.evaluate(() => document.querySelectorAll("body *").length)).toBe(0);
  expect(after.listeners).toBeLessThanOrEqual(before.listeners + 5);
  expect(after.nodes).toBeLessThanOrEqual(before.nodes + 5);
  expect(after.heap / before.heap).toBeLessThan(1.05);
  await stage.close();
}, 600_000);

/**
 * Bytes of all values that the page keeps. Without what the engine compiles: of a page that does the same a
 * thousand times it compiles more and more, 130 KB in all, and `JSHeapUsedSize` counts that.
 */
async function weighHeap(cdp: CDPSession): Promise<number> {
  const chunks: string[] = [];
  const take = ({ chunk }: { chunk: string }): void => void chunks.push(chunk);
  cdp.on("HeapProfiler.addHeapSnapshotChunk", take);
  await cdp.send("HeapProfiler.takeHeapSnapshot");
  cdp.off("HeapProfiler.addHeapSnapshotChunk", take);
  const { snapshot, nodes } = JSON.parse(chunks.join("")) as {
    snapshot: { meta: { node_fields: string[]; node_types: [string[]] } };
    nodes: number[];
  };
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const isValue = types[0].map((type) => type !== "code" && type !== "native");
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = nodes[at + fields.indexOf("type")] as number;
    if (isValue[type]) bytes += nodes[at + fields.indexOf("self_size")] as number;
  }
  return bytes;
}
