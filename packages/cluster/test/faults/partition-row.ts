// A network partition: the owner's NATS node is cut off from the others, and the owner with it. It has to stop
// before the others start.

import { strict as assert } from "node:assert";
import { Load } from "./load.ts";
import { cutOff } from "./nats-faults.ts";
import { startPartitionable } from "./partitionable-nats.ts";
import { others, ownerOf, type Row, sleep, withSite } from "./row.ts";
import { judge, recorded } from "./verdict.ts";

export const PARTITION_ROW: Row = {
  number: 7,
  title: "the owner is on the smaller side of a partition for 15 s: it stops before another starts",
  run: async () => {
    const partitionable = await startPartitionable();
    const { nats, close } = partitionable;
    // Each gateway only connects to its own node, as on a machine that is cut off.
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
          const fault = cutOff(partitionable, owner);
          await fault.inject();
          await load.until(
            ({ where, server, outcome, at }) =>
              where === other &&
              server === "recorder" &&
              outcome === "answered" &&
              at > cutAt + 2000,
            { count: 5 },
          );
          const [before, after] = site.lives();
          assert.ok(before && after, "No process took over.");
          await sleep(Math.max(0, 15_000 - (Date.now() - cutAt)));
          const healedAt = Date.now();
          await fault.heal();
          await load.until(
            ({ where, server, outcome }) =>
              where === owner && server === "recorder" && outcome === "answered",
            { count: 5 },
          );
          const back = Date.now() - healedAt;
          await load.end();
          await recorded(site, [load]);
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
