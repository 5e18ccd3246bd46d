// A gateway with many Views is killed: all of them come back to the others, at once and all the same in turn.

import { strict as assert } from "node:assert";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { openBalancer } from "./balancer.ts";
import { Load } from "./load.ts";
import { others, ownerOf, type Row, withSite } from "./row.ts";
import { type GatewayProcess, TOKEN } from "./site.ts";
import { judge } from "./verdict.ts";

const VIEWS = 600;
const PROGRAM = fileURLToPath(new URL("./children/returning-views.ts", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

async function lineOf(
  views: ChildProcessByStdio<Writable, Readable, null>,
): Promise<Record<string, number>> {
  for await (const line of createInterface(views.stdout)) return JSON.parse(line);
  throw new Error("The Views ended.");
}

export const RECONNECT_ROW: Row = {
  number: 13,
  title: `a gateway with a third of ${VIEWS} Views is killed: all are back within 30 s`,
  run: async (nats) => {
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
          const args = [...FLAGS, PROGRAM, `http://${hosts[0]}/`, TOKEN, `${VIEWS}`];
          const views = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
          try {
            assert.equal((await lineOf(views)).open, VIEWS);
            const gateways = others(site, edge);
            const load = new Load(site, { callers: 1, gateways, pause: 100 });
            await load.until(({ outcome }) => outcome === "answered", { count: 20 });
            await (site.gateways[edge] as GatewayProcess).end("SIGKILL");
            views.stdin.write("ask\n");
            const { median = 0, last = 0 } = await lineOf(views);
            await load.end();
            assert.ok(last < 30_000, `The last was back after ${last} ms.`);
            const failed = load.told.filter(({ outcome }) => outcome !== "answered");
            assert.deepEqual(failed.slice(0, 5), [], "calls at the other gateways");
            const times = { "half of them are back": median, "all are back": last };
            return { ...(await judge(site, [load])), times };
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
