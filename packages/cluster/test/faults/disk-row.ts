// The disk of one gateway's spool is full: it refuses calls that it can't record, and the others aren't affected.

import { strict as assert } from "node:assert";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { canMount, fill, onSmallDisk, seenBy } from "../../../gateway/test/faults/small-disk.ts";
import type { Fault } from "./fault.ts";
import type { GatewayProcess } from "./gateway-child.ts";
import { Load } from "./load.ts";
import { type Row, until, withSite } from "./row.ts";
import { judge, recorded, unaffected } from "./verdict.ts";

const SMALL = 1;
const OTHERS = [0, 2];

/** A disk that is full. */
function full(gateway: GatewayProcess, folder: string): Fault {
  let ballast: string | undefined;
  return {
    name: `the disk of ${gateway.name} is full`,
    inject: async () => {
      ballast = await fill(seenBy(gateway, folder));
    },
    heal: async () => {
      if (ballast) await rm(ballast);
    },
  };
}

async function ask(address: string): Promise<string> {
  const answer = await fetch(address);
  return `${answer.status} ${await answer.text()}`;
}

export const DISK_ROW: Row = {
  number: 16,
  title:
    "the disk of a gateway's spool is full: it refuses calls with a reason, and recovers by itself",
  run: async (nats) => {
    if (!canMount()) {
      return {
        zeros: { lost: 0, twice: 0, owners: 0 },
        counts: { calls: 0, answered: 0, unknown: 0, refused: 0 },
        times: {},
        notRun: ["all of it: `unshare -rm` is not allowed here, so no small disk can be mounted"],
      };
    }
    return withSite(
      nats,
      async (site) => {
        const gateway = site.gateways[SMALL] as GatewayProcess;
        const load = new Load(site, { callers: 1 });
        await load.until(({ where, outcome }) => where === SMALL && outcome === "answered", {
          count: 30,
        });
        const fault = full(gateway, join(site.folder, gateway.name));
        await fault.inject();
        const isFull = ({ where, outcome }: { where: number; outcome: string }): boolean =>
          where === SMALL && outcome === "audit-full";
        const noticed = await load.until(isFull);
        await load.until(isFull, { count: 40 });
        assert.match(await ask(`${gateway.operator}/readyz`), /^503 audit failing\n/);
        assert.equal(await ask(`${gateway.operator}/healthz`), "200 ok\n");
        for (const where of OTHERS) {
          const { operator } = site.gateways[where] as GatewayProcess;
          assert.equal(await ask(`${operator}/readyz`), "200 ready\n");
        }
        assert.ok(gateway.isRunning());
        const healed = performance.now();
        await fault.heal();
        await load.until(({ where, outcome }) => where === SMALL && outcome === "answered", {
          count: 10,
        });
        const back = performance.now() - healed;
        await until(async () => (await ask(`${gateway.operator}/readyz`)) === "200 ready\n");
        await load.end();
        const notes = unaffected(site, load, OTHERS);
        await recorded(site, [load]);
        return {
          ...(await judge(site, [load])),
          times: {
            "refused after the disk was full": noticed,
            "served after there was room": back,
          },
          notes,
        };
      },
      {
        launcher: (place, folder) => {
          if (place !== SMALL) return undefined;
          mkdirSync(folder);
          return onSmallDisk(folder, "4m");
        },
      },
    );
  },
};
