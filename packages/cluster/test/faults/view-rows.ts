// A view that doesn't read, at a gateway that isn't the owner of its server.

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
/** Half of the progress that is sent, and more than uncollected garbage takes. */
const FLAT = 48 * mebi;

/** The largest growth of a process's memory since the start. */
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

/** Unread progress isn't kept: a view that reads again receives the last progress and the response. */
async function flood(site: Site, edge: number): Promise<{ growth: number; received: number }> {
  const view = await openView(site, edge);
  view.socket.pause();
  const given = { call: "flood", wait: FLOOD_TIME, notes: NOTES, size: NOTE };
  const params = { name: "count", arguments: given, _meta: { progressToken: "p" } };
  view.send({ jsonrpc: "2.0", id: "flood", method: "tools/call", params });
  // A heap always grows at first; kept progress would make it grow further.
  await sleep(FLOOD_TIME / 3);
  const stop = watchMemory(site.gateways[edge]?.pid as number);
  await sleep((2 * FLOOD_TIME) / 3 + 1000);
  view.socket.resume();
  const { result } = await view.until(({ id }) => id === "flood", 20_000);
  assert.equal(result?.structuredContent?.call, "flood");
  const growth = stop();
  const notes = view.received.filter(({ method }) => method === "notifications/progress");
  assert.equal(notes.at(-1)?.params.progress, NOTES - 1, "the last progress that was received");
  view.socket.close();
  return { growth, received: notes.length };
}

export const VIEW_ROWS: readonly Row[] = [
  {
    number: 11,
    title:
      "a view doesn't read: its progress is dropped, then it is disconnected, and others aren't affected",
    run: (nats) =>
      withSite(nats, async (site) => {
        const owner = await ownerOf(site);
        const [edge = 0] = others(site, owner);
        const load = new Load(site, { callers: 1, pause: 100 });
        await load.until(({ outcome }) => outcome === "answered", { count: 60 });
        const { growth, received } = await flood(site, edge);
        assert.ok(growth < FLAT, `The edge grew by ${(growth / mebi).toFixed(0)} MiB.`);
        assert.ok(received < NOTES, "All progress was kept for a view that didn't read.");
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
            `a view that didn't read received ${received} of ${NOTES} notes of ${NOTE} bytes`,
            `memory of the edge: ${(growth / mebi).toFixed(0)} MiB more under them, ${(most / mebi).toFixed(0)} MiB more with its large answers`,
          ],
        };
      }),
  },
];
