// Bodies that are too large for somebody on the way: for the edge, for NATS, for the pipe of a program.

import { strict as assert } from "node:assert";
import { once } from "node:events";
import type { NatsServers } from "@vitrine/testing/nats-server";
import { Load, type Told } from "./load.ts";
import { others, ownerOf, type Result, type Row, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";
import { callView, openView } from "./view-socket.ts";

const mebi = 2 ** 20;
/** Around what an engine on NATS takes at once (7/8 of its megabyte), and around the megabyte. */
const FITTING = [900_000, 0.875 * mebi - 8192, 0.875 * mebi, mebi - 1000];
const TOO_LARGE = [1_100_000, 9_000_000];
const ANSWERED = /^answered$/;
// Who sends megabytes after the gateway has said no may find the connection closed before it reads that.
const REFUSED = /^(?:too-large|connection-lost)$/;
const LARGE_ANSWERS = [...FITTING, 1_100_000, 7_000_000];

/** A way that a call takes: a server, the gateway it is called at, and by whom. */
interface Way {
  name: string;
  server: "witness" | "modern";
  where: number;
}

function waysOf(site: Site, owner: number): Way[] {
  const [edge = 0] = others(site, owner);
  assert.ok(site.gateways[edge]);
  return [
    { name: "the owner", server: "witness", where: owner },
    { name: "a gateway that passes it on to the owner", server: "witness", where: edge },
    { name: "a gateway with a server over HTTP", server: "modern", where: edge },
  ];
}

let names = 0;

async function call(
  site: Site,
  { server, where }: Way,
  given: { pad?: number; size?: number },
): Promise<Told> {
  const name = `s${++names}`;
  const { pad = 0, size = 0 } = given;
  // As many bytes as it says, with what is around it.
  const more = { size, ...(pad > 0 && { pad: "x".repeat(pad - 400) }) };
  const heard = await site.call(where, server, name, more);
  return { where, server, call: name, at: Date.now(), ...heard };
}

/** Requests and answers of these sizes over all ways; what came of each. */
async function sweep(
  site: Site,
  owner: number,
  { requests, answers, outcome }: { requests: number[]; answers: number[]; outcome: RegExp },
): Promise<Told[]> {
  const told: Told[] = [];
  for (const way of waysOf(site, owner)) {
    for (const given of [
      ...requests.map((pad) => ({ pad })),
      ...answers.map((size) => ({ size })),
    ]) {
      const heard = await call(site, way, given);
      const said = `${JSON.stringify(given)} at ${way.name} was ${heard.outcome}`;
      assert.ok(outcome.test(heard.outcome), said);
      const isMade = [...site.calls().map(({ call }) => call), ...site.modern.calls];
      assert.equal(isMade.includes(heard.call), outcome === ANSWERED, `${said}, made`);
      told.push(heard);
    }
  }
  return told;
}

/** The same of a View, whose socket is closed over a message that is too large. */
async function sweepSocket(site: Site, where: number): Promise<void> {
  const view = await openView(site, where);
  const ask = (call: string, given: object) => callView(view, { call, ...given });
  for (const pad of FITTING) {
    const { error } = await ask(`w${++names}`, { pad: "x".repeat(pad - 400) });
    assert.equal(error, undefined, `${pad} bytes over a WebSocket`);
  }
  for (const size of LARGE_ANSWERS) {
    const { result } = await ask(`w${++names}`, { size });
    assert.equal(result?.content[0].text.length, size);
  }
  view.socket.close();
  for (const pad of TOO_LARGE) {
    const large = await openView(site, where);
    const closed = once(large.socket, "close");
    const params = { name: "count", arguments: { call: `w${++names}`, pad: "x".repeat(pad) } };
    large.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const [code] = await closed;
    // 1009, unless the connection was gone before its reason could be read.
    assert.ok(code === 1009 || code === 1006, `closed with ${code}`);
    assert.ok(!site.calls().some(({ call }) => call === params.arguments.call), "not made");
  }
}

/** An answer that no pipe carries: the program has to be ended, since nobody knows where the next begins. */
async function tooLargeAnswer(site: Site, owner: number): Promise<number> {
  const [, routed, modern] = waysOf(site, owner) as [Way, Way, Way];
  for (const way of [routed, modern]) {
    const { outcome } = await call(site, way, { size: 9_000_000 });
    assert.equal(outcome, "unavailable", `an answer of 9 MB at ${way.name}`);
  }
  return until(async () => (await call(site, routed, {})).outcome === "answered");
}

/** Where messages may have four megabytes at the edge, they reach the owner in pieces that NATS takes. */
async function inPieces(nats: NatsServers): Promise<Result> {
  const config = { limits: { message: 4 * mebi, userPerMinute: 1e7, userAtOnce: 1000 } };
  return withSite(
    nats,
    async (site) => {
      const owner = await ownerOf(site);
      const requests = [...FITTING, 1_100_000, 3_900_000];
      const told = await sweep(site, owner, { requests, answers: [], outcome: ANSWERED });
      const large = { requests: [9_000_000], answers: [], outcome: REFUSED };
      told.push(...(await sweep(site, owner, large)));
      return { ...(await judge(site, [{ told }])), times: {} };
    },
    { config },
  );
}

export const SIZE_ROW: Row = {
  number: 15,
  title: "bodies of 0.9 to 9 MB on all ways: passed on in pieces, or refused with a reason",
  run: async (nats) => {
    const pieces = await inPieces(nats);
    return withSite(nats, async (site) => {
      const owner = await ownerOf(site);
      const load = new Load(site, { callers: 1, servers: ["modern"], pause: 100 });
      const told = [
        ...(await sweep(site, owner, {
          requests: FITTING,
          answers: LARGE_ANSWERS,
          outcome: ANSWERED,
        })),
        ...(await sweep(site, owner, { requests: TOO_LARGE, answers: [], outcome: REFUSED })),
      ];
      for (const where of [owner, ...others(site, owner)]) await sweepSocket(site, where);
      const again = await tooLargeAnswer(site, owner);
      await load.end();
      const notes = unaffected(site, load);
      const { zeros, counts } = await judge(site, [load, { told }]);
      return {
        zeros: {
          lost: zeros.lost + pieces.zeros.lost,
          twice: zeros.twice + pieces.zeros.twice,
          owners: zeros.owners + pieces.zeros.owners,
        },
        counts: {
          calls: counts.calls + pieces.counts.calls,
          answered: counts.answered + pieces.counts.answered,
          unknown: counts.unknown + pieces.counts.unknown,
          refused: counts.refused + pieces.counts.refused,
        },
        times: { "a program that answered too much is called again": again },
        notes,
      };
    });
  },
};
