// Nodes of NATS that are killed or frozen, one of them or all.

import { strict as assert } from "node:assert";
import type { NatsNode } from "@vitrine/testing/nats-server";
import { during } from "./fault.ts";
import { Load, type Told } from "./load.ts";
import { allKilled, leaderOf, nodeFrozen, nodeKilled } from "./nats-faults.ts";
import { ownerOf, type Row, SPOOL, sleep, withSite } from "./row.ts";
import { judge, recorded } from "./verdict.ts";

const isAnswered = ({ outcome }: Told): boolean => outcome === "answered";

/** Waits until the program is called through each gateway again; says how long the last took. */
async function serveAgain(load: Load, since: number): Promise<number> {
  const waits = [0, 1, 2].map((place) =>
    load.until((told) => told.where === place && told.server === "witness" && isAnswered(told), {
      count: 5,
    }),
  );
  await Promise.all(waits);
  return Date.now() - since;
}

function modernIsUnaffected(load: Load, since: number): Record<string, number> {
  const modern = load.told.filter(({ server }) => server === "modern");
  const failed = modern.filter(({ outcome }) => outcome !== "answered");
  assert.deepEqual(failed.slice(0, 5), [], "calls of a server without sessions");
  const p99 = (part: Told[]): number =>
    part.map(({ time }) => time).sort((a, b) => a - b)[Math.floor(part.length * 0.99)] ?? 0;
  return {
    "p99 of modern calls before": p99(modern.filter(({ at }) => at < since)),
    "p99 of modern calls since": p99(modern.filter(({ at }) => at >= since)),
  };
}

export const ENGINE_ROWS: readonly Row[] = [
  {
    number: 3,
    title: "the leader of NATS is killed: servers without sessions do not notice",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          await ownerOf(site);
          const load = new Load(site, { callers: 1 });
          await load.until(isAnswered, { count: 100 });
          const fault = nodeKilled(nats, await leaderOf(nats));
          const killedAt = Date.now();
          await fault.inject();
          await sleep(1000);
          const again = await serveAgain(load, killedAt);
          await sleep(5000);
          const times = modernIsUnaffected(load, killedAt);
          await load.end();
          const written = await recorded(site, [load]);
          await fault.heal();
          return {
            ...(await judge(site, [load])),
            times: { "program is called again": again, "all recorded after": written, ...times },
          };
        },
        SPOOL,
      ),
  },
  {
    number: 4,
    title: "the node that the owner sits on is frozen for 20 s: the owner leaves it",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          const owner = await ownerOf(site);
          const load = new Load(site, { callers: 1 });
          await load.until(isAnswered, { count: 100 });
          const frozenAt = Date.now();
          const frozen = nodeFrozen(nats, nats.nodes[owner] as NatsNode);
          const { again, times } = await during(frozen, async () => {
            await sleep(1000);
            const again = await serveAgain(load, frozenAt);
            await sleep(Math.max(0, 20_000 - (Date.now() - frozenAt)));
            return { again, times: modernIsUnaffected(load, frozenAt) };
          });
          await load.end();
          const written = await recorded(site, [load]);
          return {
            ...(await judge(site, [load])),
            times: { "program is called again": again, "all recorded after": written, ...times },
          };
        },
        // That node alone is named, or one would be picked at random; the others it names itself.
        { ...SPOOL, natsOf: (place) => [nats.urls[place] as string] },
      ),
  },
  {
    number: 5,
    title: "all of NATS is down for 30 s: what needs no engine goes on, what needs it says so",
    run: (nats) =>
      withSite(
        nats,
        async (site) => {
          await ownerOf(site);
          const load = new Load(site, { callers: 1 });
          await load.until(isAnswered, { count: 100 });
          const killedAt = Date.now();
          const fault = allKilled(nats);
          await fault.inject();
          await sleep(30_000);
          // Begun when everybody has noticed.
          const away = load.told.filter(
            ({ server, at, time }) => server === "witness" && at - time > killedAt + 5000,
          );
          assert.ok(away.length > 0, "Nobody was told anything about the program.");
          assert.deepEqual(
            [...new Set(away.map(({ outcome }) => outcome))],
            ["unavailable"],
            "what callers of the program were told while NATS was away",
          );
          const times = modernIsUnaffected(load, killedAt);
          const restartedAt = Date.now();
          await fault.heal();
          const ready = Date.now() - restartedAt;
          const again = await serveAgain(load, restartedAt);
          await load.end();
          const written = await recorded(site, [load]);
          return {
            ...(await judge(site, [load])),
            times: {
              "NATS is ready again": ready,
              "program is called again": again,
              "all recorded after": written,
              ...times,
            },
          };
        },
        SPOOL,
      ),
  },
];
