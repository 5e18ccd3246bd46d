// A View that does not read, at a gateway that is not the owner of its server.

import { strict as assert } from "node:assert";
import { during } from "./fault.ts";
import { Load } from "./load.ts";
import { memoryOf, others, ownerOf, type Row, sleep, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";
import { slowView } from "./view-faults.ts";
import { callView, figureOf, openView } from "./view-socket.ts";

const mebi = 2 ** 20;
const NOTES = 4800;
const NOTE = 32_768;
const FLOOD_TIME = 12_000;
/** Half of what is told meanwhile, and above what a garbage collector leaves lying about. */
const FLAT = 48 * mebi;

/** The most that a process had in memory above what it had at the beginning. */
function watchMemory(pid: number): () => number {
  const before = memoryOf(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, 100);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

/** Progress that nobody reads is not kept: when the View reads again it hears the last, and the answer. */
async function flood(site: Site, edge: number): Promise<{ growth: number; heard: number }> {
  const view = await openView(site, edge);
  view.socket.pause();
  const given = { call: "flood", wait: FLOOD_TIME, notes: NOTES, size: NOTE };
  const params = { name: "count", arguments: given, _meta: { progressToken: "p" } };
  view.send({ jsonrpc: "2.0", id: "flood", method: "tools/call", params });
  // A heap grows at first whatever it holds; what is kept would go on growing.
  await sleep(FLOOD_TIME / 3);
  const stop = watchMemory(site.gateways[edge]?.pid as number);
  await sleep((2 * FLOOD_TIME) / 3 + 1000);
  view.socket.resume();
  const { result } = await view.until(({ id }) => id === "flood", 20_000);
  assert.equal(result?.structuredContent?.call, "flood");
  const growth = stop();
  const notes = view.received.filter(({ method }) => method === "notifications/progress");
  assert.equal(notes.at(-1)?.params.progress, NOTES - 1, "the last progress that was told");
  view.socket.close();
  return { growth, heard: notes.length };
}

export const VIEW_ROWS: readonly Row[] = [
  {
    number: 11,
    title: "a View does not read: progress waits, then it is cut off, and nobody else notices",
    run: (nats) =>
      withSite(nats, async (site) => {
        const owner = await ownerOf(site);
        const [edge = 0] = others(site, owner);
        const load = new Load(site, { callers: 1, pause: 100 });
        await load.until(({ outcome }) => outcome === "answered", { count: 60 });
        const { growth, heard } = await flood(site, edge);
        assert.ok(growth < FLAT, `The edge grew by ${(growth / mebi).toFixed(0)} MiB.`);
        assert.ok(heard < NOTES, "All progress was kept for a View that did not read.");
        await until(async () => (await figureOf(site, edge, "vitrine_views")) === 0, 10_000);
        const stop = watchMemory(site.gateways[edge]?.pid as number);
        const slow = slowView(site, edge);
        const cut = await during(slow, async () => {
          assert.equal(await figureOf(site, edge, "vitrine_views"), 1);
          return until(async () => (await figureOf(site, edge, "vitrine_views")) === 0, 60_000);
        });
        const most = stop();
        const since = performance.now();
        const again = await openView(site, edge);
        const { error } = await callView(again, { call: "after-slow" });
        assert.equal(error, undefined);
        const back = performance.now() - since;
        again.socket.close();
        await load.end();
        const notes = unaffected(site, load);
        return {
          ...(await judge(site, [load])),
          times: { "cut off after": cut, "another View is served after": back },
          notes: [
            ...notes,
            `of ${NOTES} notes of ${NOTE} bytes a View that did not read was told ${heard}`,
            `memory of the edge: ${(growth / mebi).toFixed(0)} MiB more under them, ${(most / mebi).toFixed(0)} MiB more with its large answers`,
          ],
        };
      }),
  },
];
