// Nodes of NATS that are killed or frozen, one of them or all.

import { strict as assert } from "node:assert";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { NatsNode, NatsServers } from "@vitrine/testing/nats-server";
import { Load, type Told } from "./load.ts";
import { ownerOf, type Row, sleep, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge } from "./verdict.ts";

/** Written at once and stored later: an engine that is away stops no call. */
const SPOOL = { config: { audit: { level: "full", mode: "spool" } } };

const isAnswered = ({ outcome }: Told): boolean => outcome === "answered";

/** The node that leads most of what is stored. */
async function leaderOf(nats: NatsServers): Promise<NatsNode> {
  const nc = await connect({ servers: nats.urls });
  const { streams } = await jetstreamManager(nc);
  const leads = new Map<string, number>();
  for await (const { cluster } of streams.list()) {
    const leader = cluster?.leader ?? "";
    leads.set(leader, (leads.get(leader) ?? 0) + 1);
  }
  await nc.close();
  const [[name] = [""]] = [...leads].sort(([, a], [, b]) => b - a);
  return nats.nodes.find((node) => node.name === name) ?? (nats.nodes[0] as NatsNode);
}

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

/** What was answered is recorded, as soon as the engine can be written to. */
async function drained(site: Site, load: Load): Promise<number> {
  await load.end();
  const answered = load.told.filter(isAnswered).map(({ call }) => call);
  return until(async () => {
    const { answered: recorded } = await site.audit();
    return answered.every((call) => recorded.has(call));
  }, 60_000);
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
          const leader = await leaderOf(nats);
          const killedAt = Date.now();
          await leader.kill();
          await sleep(1000);
          const again = await serveAgain(load, killedAt);
          await sleep(5000);
          const times = modernIsUnaffected(load, killedAt);
          const written = await drained(site, load);
          await leader.restart();
          await nats.ready();
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
          const node = nats.nodes[owner] as NatsNode;
          const frozenAt = Date.now();
          node.freeze();
          try {
            await sleep(1000);
            const again = await serveAgain(load, frozenAt);
            await sleep(Math.max(0, 20_000 - (Date.now() - frozenAt)));
            const times = modernIsUnaffected(load, frozenAt);
            node.thaw();
            await nats.ready();
            const written = await drained(site, load);
            return {
              ...(await judge(site, [load])),
              times: { "program is called again": again, "all recorded after": written, ...times },
            };
          } finally {
            node.thaw();
          }
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
          await Promise.all(nats.nodes.map((node) => node.kill()));
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
          await Promise.all(nats.nodes.map((node) => node.restart()));
          await nats.ready();
          const ready = Date.now() - restartedAt;
          const again = await serveAgain(load, restartedAt);
          const written = await drained(site, load);
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
