// Gateways that are killed or stopped.

import { strict as assert } from "node:assert";
import type { GatewayProcess } from "./gateway-child.ts";
import { killed, stopped } from "./gateway-faults.ts";
import { Load } from "./load.ts";
import { isAlive, others, ownerOf, type Row, SPOOL, sleep, until, withSite } from "./row.ts";
import { judge, recorded } from "./verdict.ts";

export const PROCESS_ROWS: readonly Row[] = [
  {
    number: 1,
    title: "an edge is killed: the others aren't affected, and it comes back",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          const owner = await ownerOf(site);
          const [edge = 0, other = 0] = others(site, owner);
          const load = new Load(site);
          await load.until(({ outcome }) => outcome === "answered", { count: 60 });
          const killedAt = Date.now();
          const fault = killed(site.gateways[edge] as GatewayProcess);
          await fault.inject();
          await load.until(({ where }) => where === other, { count: 100 });
          const returning = performance.now();
          await fault.heal();
          await load.until(({ where, outcome }) => where === edge && outcome === "answered");
          const back = performance.now() - returning;
          await load.end();
          const failed = load.results.filter(
            ({ where, at, outcome }) => where !== edge && at > killedAt && outcome !== "answered",
          );
          assert.deepEqual(failed, [], "calls at the other gateways");
          await recorded(site, [load]);
          return {
            ...(await judge(site, [load])),
            times: { "edge serves again after its start": back },
          };
        },
        SPOOL,
      ),
  },
  {
    number: 2,
    title: "the runner is killed: its child ends with it, and another takes over after the lease",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          const owner = await ownerOf(site);
          const child = site.calls().at(-1)?.process as number;
          const load = new Load(site);
          await load.until(
            ({ server, outcome }) => server === "recorder" && outcome === "answered",
            {
              count: 60,
            },
          );
          const killedAt = Date.now();
          const fault = killed(site.gateways[owner] as GatewayProcess);
          await fault.inject();
          const childGone = await until(() => !isAlive(child), 5000);
          await load.until(
            ({ where, server, outcome }) =>
              where !== owner && server === "recorder" && outcome === "answered",
            { count: 20 },
          );
          const next = site.lives().find(({ from }) => from > killedAt);
          await load.end();
          const modern = load.results.filter(
            ({ where, server, at, outcome }) =>
              where !== owner && server === "modern" && at > killedAt && outcome !== "answered",
          );
          assert.deepEqual(modern, [], "calls that need no runner");
          // Records that it hadn't forwarded are on its disk, and the restarted gateway forwards them.
          await fault.heal();
          await recorded(site, [load]);
          return {
            ...(await judge(site, [load])),
            times: { "child gone": childGone, "next child": (next?.from ?? Number.NaN) - killedAt },
          };
        },
        SPOOL,
      ),
  },
  {
    number: 8,
    title:
      "the owner is stopped for two leases: its children are ended, and it does nothing when it continues",
    run: (nats) =>
      withSite(nats, async (site) => {
        const owner = await ownerOf(site);
        const gateways = others(site, owner);
        const load = new Load(site, { gateways });
        await load.until(({ server, outcome }) => server === "recorder" && outcome === "answered", {
          count: 40,
        });
        const fault = stopped(site.gateways[owner] as GatewayProcess);
        const stoppedAt = Date.now();
        await fault.inject();
        // This call stays in its queue, and must not be carried out when it continues.
        const queued = Array.from({ length: 5 }, (_, n) =>
          site.call(owner, "recorder", `queued-${n}`),
        );
        await load.until(
          ({ server, outcome, at }) =>
            server === "recorder" && outcome === "answered" && at > stoppedAt + 1000,
          { count: 20 },
        );
        const next = site.lives().find(({ from }) => from > stoppedAt);
        await sleep(Math.max(0, 10_000 - (Date.now() - stoppedAt)));
        await fault.heal();
        const wokenAt = performance.now();
        await Promise.all(queued);
        // Only the successor may answer, because the stopped gateway has no child.
        const ownCalls = site.calls().filter(({ process, at }) => {
          return at > (next?.from ?? 0) && process !== next?.process;
        });
        assert.deepEqual(ownCalls, [], "calls of the old child after the new one");
        await until(async () => {
          const { outcome } = await site.call(owner, "recorder", `again-${Math.random()}`);
          return outcome === "answered";
        });
        const back = performance.now() - wokenAt;
        await load.end();
        return {
          ...(await judge(site, [load])),
          times: {
            "next child": (next?.from ?? Number.NaN) - stoppedAt,
            "serves again after it woke": back,
          },
        };
      }),
  },
];
