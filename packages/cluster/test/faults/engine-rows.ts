// One or all NATS nodes are killed or frozen.

import { strict as assert } from "node:assert";
import type { NatsNode } from "@vitrine/internal/nats-server";
import { during } from "./fault.ts";
import { type CallResult, Load } from "./load.ts";
import { allKilled, leaderOf, nodeFrozen, nodeKilled } from "./nats-faults.ts";
import { ownerOf, type Row, SPOOL, sleep, withSite } from "./row.ts";
import { judge, recorded } from "./verdict.ts";

const isAnswered = ({ outcome }: CallResult): boolean => outcome === "answered";

/** Waits until the program can be called at each gateway again. Returns the milliseconds of the slowest. */
async function serveAgain(load: Load, since: number): Promise<number> {
  const waits = [0, 1, 2].map((place) =>
    load.until(
      (result) => result.where === place && result.server === "recorder" && isAnswered(result),
      {
        count: 5,
      },
    ),
  );
  await Promise.all(waits);
  return Date.now() - since;
}

function modernIsUnaffected(load: Load, since: number): Record<string, number> {
  const modern = load.results.filter(({ server }) => server === "modern");
  const failed = modern.filter(({ outcome }) => outcome !== "answered");
  assert.deepEqual(failed.slice(0, 5), [], "calls of a server without sessions");
  const p99 = (part: CallResult[]): number =>
    part.map(({ time }) => time).sort((a, b) => a - b)[Math.floor(part.length * 0.99)] ?? 0;
  return {
    "p99 of modern calls before": p99(modern.filter(({ at }) => at < since)),
    "p99 of modern calls since": p99(modern.filter(({ at }) => at >= since)),
  };
}

export const ENGINE_ROWS: readonly Row[] = [
  {
    number: 3,
    title: "the leader of NATS is killed: servers without sessions aren't affected",
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
    title: "the owner's NATS node is frozen for 20 s: the owner connects to another",
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
        // Only this node is configured, or the client would pick one at random. The node announces the others.
        { ...SPOOL, natsOf: (place) => [nats.urls[place] as string] },
      ),
  },
  {
    number: 5,
    title:
      "all of NATS is down for 30 s: calls that need no engine go on, others fail with a reason",
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
          // Only calls that started after all gateways noticed.
          const away = load.results.filter(
            ({ server, at, time }) => server === "recorder" && at - time > killedAt + 5000,
          );
          assert.ok(away.length > 0, "No call of the program had a result.");
          assert.deepEqual(
            [...new Set(away.map(({ outcome }) => outcome))],
            ["unavailable"],
            "results of calls of the program while NATS was down",
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
