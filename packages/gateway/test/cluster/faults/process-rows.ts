// Gateways that are killed or stopped.

import { strict as assert } from "node:assert";
import { Load } from "./load.ts";
import { isAlive, others, ownerOf, type Row, sleep, until, withSite } from "./row.ts";
import type { GatewayProcess } from "./site.ts";
import { judge } from "./verdict.ts";

export const PROCESS_ROWS: readonly Row[] = [
  {
    number: 1,
    title: "an edge is killed: the others do not notice, and it comes back",
    run: (nats) =>
      withSite(nats, async (site) => {
        const owner = await ownerOf(site);
        const [edge = 0, other = 0] = others(site, owner);
        const load = new Load(site);
        await load.until(({ outcome }) => outcome === "answered", { count: 60 });
        const killedAt = Date.now();
        const gateway = site.gateways[edge] as GatewayProcess;
        await gateway.end("SIGKILL");
        await load.until(({ where }) => where === other, { count: 100 });
        const returning = performance.now();
        await gateway.start();
        await load.until(({ where, outcome }) => where === edge && outcome === "answered");
        const back = performance.now() - returning;
        await load.end();
        const failed = load.told.filter(
          ({ where, at, outcome }) => where !== edge && at > killedAt && outcome !== "answered",
        );
        assert.deepEqual(failed, [], "calls at the other gateways");
        return {
          ...(await judge(site, [load])),
          times: { "edge serves again after its start": back },
        };
      }),
  },
  {
    number: 2,
    title: "the runner is killed: its child goes with it, another takes over after the lease",
    run: (nats) =>
      withSite(nats, async (site) => {
        const owner = await ownerOf(site);
        const child = site.calls().at(-1)?.process as number;
        const load = new Load(site);
        await load.until(({ server, outcome }) => server === "witness" && outcome === "answered", {
          count: 60,
        });
        const killedAt = Date.now();
        await (site.gateways[owner] as GatewayProcess).end("SIGKILL");
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
        await (site.gateways[owner] as GatewayProcess).start();
        return {
          ...(await judge(site, [load])),
          times: { "child gone": childGone, "next child": (next?.from ?? Number.NaN) - killedAt },
        };
      }),
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
        const gateway = site.gateways[owner] as GatewayProcess;
        const stoppedAt = Date.now();
        gateway.signal("SIGSTOP");
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
        gateway.signal("SIGCONT");
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
