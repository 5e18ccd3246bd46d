// The cluster falls apart: the node of NATS that the owner sits on is cut off from the others, and the owner
// with it. It has to stop before the others begin.

import { strict as assert } from "node:assert";
import { startNats } from "@vitrine/testing/nats-server";
import { type CutProxy, openProxy } from "./cut-proxy.ts";
import { Load } from "./load.ts";
import { others, ownerOf, type Row, sleep, until, withSite } from "./row.ts";
import { judge } from "./verdict.ts";

/** Three nodes whose routes go through proxies, one for each direction, and nowhere else. */
async function openPartitionable(): Promise<{
  nats: Awaited<ReturnType<typeof startNats>>;
  /** The ways between a node and the others. */
  around(node: number): CutProxy[];
  close(): Promise<void>;
}> {
  const proxies: { from: number; to: number; proxy: CutProxy }[] = [];
  const nats = await startNats({
    nodes: 3,
    clusterOf: async (from, routes) => {
      const ways: string[] = [];
      for (const [to, route] of routes.entries()) {
        if (to === from) continue;
        const proxy = await openProxy(Number(new URL(route).port));
        proxies.push({ from, to, proxy });
        ways.push(`nats://127.0.0.1:${proxy.port}`);
      }
      // Where nobody is: else they would tell each other how to get round the proxies.
      return `routes: ${JSON.stringify(ways)}, advertise: "127.0.0.1:1", no_advertise: true`;
    },
  });
  return {
    nats,
    around: (node) =>
      proxies.flatMap(({ from, to, proxy }) => (from === node || to === node ? [proxy] : [])),
    close: async () => {
      await nats.stop();
      for (const { proxy } of proxies) proxy.close();
    },
  };
}

export const PARTITION_ROW: Row = {
  number: 7,
  title: "the owner is on the smaller side of a partition for 15 s: it stops before another begins",
  run: async () => {
    const { nats, around, close } = await openPartitionable();
    // Each gateway knows its own node alone, as on a machine that is cut off.
    const natsOf = (place: number): string[] => [nats.urls[place] as string];
    const config = { audit: { level: "full", mode: "spool" } };
    try {
      return await withSite(
        nats,
        async (site) => {
          const owner = await ownerOf(site);
          const [other = 0] = others(site, owner);
          const load = new Load(site, { callers: 1 });
          await load.until(({ outcome }) => outcome === "answered", { count: 100 });
          const cutAt = Date.now();
          for (const way of around(owner)) way.cut();
          await load.until(
            ({ where, server, outcome, at }) =>
              where === other &&
              server === "witness" &&
              outcome === "answered" &&
              at > cutAt + 2000,
            { count: 5 },
          );
          const [before, after] = site.lives();
          assert.ok(before && after, "Nobody took over.");
          await sleep(Math.max(0, 15_000 - (Date.now() - cutAt)));
          const healedAt = Date.now();
          for (const way of around(owner)) way.heal();
          await nats.ready();
          await load.until(
            ({ where, server, outcome }) =>
              where === owner && server === "witness" && outcome === "answered",
            { count: 5 },
          );
          const back = Date.now() - healedAt;
          await load.end();
          const answered = load.told.filter(({ outcome }) => outcome === "answered");
          await until(async () => {
            const { answered: recorded } = await site.audit();
            return answered.every(({ call }) => recorded.has(call));
          }, 60_000);
          return {
            ...(await judge(site, [load])),
            times: {
              "old child's last sign": before.to - cutAt,
              "new child's first sign": after.from - cutAt,
              "the owner serves again after the ways are healed": back,
            },
          };
        },
        { natsOf, config },
      );
    } finally {
      await close();
    }
  },
};
