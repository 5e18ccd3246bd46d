// A gateway with many views is killed: all of them reconnect to the other gateways.

import { strict as assert } from "node:assert";
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { openBalancer } from "./balancer.ts";
import { FLAGS, type GatewayProcess } from "./gateway-child.ts";
import { killed } from "./gateway-faults.ts";
import { Load } from "./load.ts";
import { others, ownerOf, type Row, withSite } from "./row.ts";
import { TOKEN } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";
import { figureOf } from "./view-socket.ts";

const VIEWS = 5000;
const QUICK_VIEWS = 600;
/** Milliseconds in which all are back. */
const BACK = 30_000;

const PROGRAM = fileURLToPath(new URL("./children/returning-views.ts", import.meta.url));

/** How many this machine carries: each has two sockets in the balancer, which is in this process. */
function carried(quick: boolean): { count: number; notes: string[] } {
  if (quick) return { count: QUICK_VIEWS, notes: [`${QUICK_VIEWS} Views, because of --quick`] };
  const files = Number(spawnSync("sh", ["-c", "ulimit -n"]).stdout.toString());
  const most = Number.isFinite(files) ? Math.floor((files - 1000) / 2) : VIEWS;
  if (most >= VIEWS) return { count: VIEWS, notes: [`${VIEWS} Views`] };
  return { count: most, notes: [`${most} Views of ${VIEWS}: only ${files} files may be open`] };
}

async function lineOf(
  views: ChildProcessByStdio<Writable, Readable, null>,
): Promise<Record<string, number>> {
  for await (const line of createInterface(views.stdout)) return JSON.parse(line);
  throw new Error("The Views ended.");
}

export const RECONNECT_ROW: Row = {
  number: 13,
  title: "a gateway with a third of thousands of views is killed: all reconnect within 30 s",
  run: async (nats, { quick }) => {
    const { count, notes } = carried(quick);
    const balancer = await openBalancer();
    const hosts = [`localhost:${balancer.port}`];
    try {
      return await withSite(
        nats,
        async (site) => {
          const owner = await ownerOf(site);
          const [edge = 0] = others(site, owner);
          const portOf = ({ url }: GatewayProcess): number => Number(new URL(url).port);
          balancer.targets = site.gateways.map(portOf);
          const args = [...FLAGS, PROGRAM, `http://${hosts[0]}/`, TOKEN, `${count}`];
          const views = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
          try {
            assert.equal((await lineOf(views)).open, count);
            const gateways = others(site, edge);
            const load = new Load(site, { callers: 1, gateways, pause: 100 });
            await load.until(({ outcome }) => outcome === "answered", { count: 20 });
            await killed(site.gateways[edge] as GatewayProcess).inject();
            views.stdin.write("ask\n");
            const { median = 0, last = 0 } = await lineOf(views);
            await load.end();
            assert.ok(last < BACK, `The last was back after ${last} ms.`);
            const times: Record<string, number> = {
              "half of them are back": median,
              "all are back": last,
            };
            for (const where of gateways) {
              const lag = await figureOf(site, where, "nodejs_eventloop_lag_p99_seconds");
              times[`p99 of the delay of ${site.gateways[where]?.name}'s event loop`] = lag * 1000;
            }
            notes.push(...unaffected(site, load, gateways));
            return { ...(await judge(site, [load])), times, notes };
          } finally {
            views.kill("SIGKILL");
          }
        },
        { hosts },
      );
    } finally {
      balancer.close();
    }
  },
};
