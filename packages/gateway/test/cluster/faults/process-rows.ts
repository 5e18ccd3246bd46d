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
    title: "an edge is killed: the others do not notice, and it comes back",
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
          const failed = load.told.filter(
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
    title: "the runner is killed: its child goes with it, another takes over after the lease",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          const owner = await ownerOf(site);
          const child = site.calls().at(-1)?.process as number;
          const load = new Load(site);
          await load.until(
            ({ server, outcome }) => server === "witness" && outcome === "answered",
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
              where !== owner && server === "witness" && outcome === "answered",
            { count: 20 },
          );
          const next = site.lives().find(({ from }) => from > killedAt);
          await load.end();
          const modern = load.told.filter(
            ({ where, server, at, outcome }) =>
              where !== owner && server === "modern" && at > killedAt && outcome !== "answered",
          );
          assert.deepEqual(modern, [], "calls that need no runner");
          // What it had recorded and not passed on is on its disk: its next life does that.
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
      "the owner is stopped for two leases: what it had is ended, and on waking it does nothing",
    run: (nats) =>
      withSite(nats, async (site) => {
        const owner = await ownerOf(site);
        const gateways = others(site, owner);
        const load = new Load(site, { gateways });
        await load.until(({ server, outcome }) => server === "witness" && outcome === "answered", {
          count: 40,
        });
        const fault = stopped(site.gateways[owner] as GatewayProcess);
        const stoppedAt = Date.now();
        await fault.inject();
        // Left in its queue: it must not be carried out by who wakes up.
        const queued = Array.from({ length: 5 }, (_, n) =>
          site.call(owner, "witness", `queued-${n}`),
        );
        await load.until(
          ({ server, outcome, at }) =>
            server === "witness" && outcome === "answered" && at > stoppedAt + 1000,
          { count: 20 },
        );
        const next = site.lives().find(({ from }) => from > stoppedAt);
        await sleep(Math.max(0, 10_000 - (Date.now() - stoppedAt)));
        await fault.heal();
        const wokenAt = performance.now();
        await Promise.all(queued);
        // By the successor, if at all: the one that was stopped has no child.
        const ownCalls = site.calls().filter(({ process, at }) => {
          return at > (next?.from ?? 0) && process !== next?.process;
        });
        assert.deepEqual(ownCalls, [], "calls of the old child after the new one");
        await until(async () => {
          const { outcome } = await site.call(owner, "witness", `again-${Math.random()}`);
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
