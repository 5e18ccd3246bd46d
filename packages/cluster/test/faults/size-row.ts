// Bodies that are too large for the edge, for NATS, or for the pipe of a program.

import { strict as assert } from "node:assert";
import { once } from "node:events";
import type { NatsServers } from "@vitrine/internal/nats-server";
import { type CallResult, Load } from "./load.ts";
import { others, ownerOf, type Result, type Row, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge, unaffected } from "./verdict.ts";
import { callView, openView } from "./view-socket.ts";

const mebi = 2 ** 20;
/** Around the engine's limit on NATS (7/8 of a megabyte), and around the megabyte. */
const FITTING = [900_000, 0.875 * mebi - 8192, 0.875 * mebi, mebi - 1000];
const TOO_LARGE = [1_100_000, 9_000_000];
const ANSWERED = /^answered$/;
// A client that still sends megabytes may lose the connection before it reads the rejection.
const REFUSED = /^(?:too-large|connection-lost)$/;
const LARGE_ANSWERS = [...FITTING, 1_100_000, 7_000_000];

/** A route of a call: a server, and the gateway that receives the call. */
interface Way {
  name: string;
  server: "recorder" | "modern";
  where: number;
}

function waysOf(site: Site, owner: number): Way[] {
  const [edge = 0] = others(site, owner);
  assert.ok(site.gateways[edge]);
  return [
    { name: "the owner", server: "recorder", where: owner },
    { name: "a gateway that passes it on to the owner", server: "recorder", where: edge },
    { name: "a gateway with a server over HTTP", server: "modern", where: edge },
  ];
}

let names = 0;

async function call(
  site: Site,
  { server, where }: Way,
  given: { pad?: number; size?: number },
): Promise<CallResult> {
  const name = `s${++names}`;
  const { pad = 0, size = 0 } = given;
  // As many bytes as given, including the rest of the message.
  const more = { size, ...(pad > 0 && { pad: "x".repeat(pad - 400) }) };
  const result = await site.call(where, server, name, more);
  return { where, server, call: name, at: Date.now(), ...result };
}

/** Sends requests and responses of these sizes over all routes. Returns the results. */
async function sweep(
  site: Site,
  owner: number,
  { requests, answers, outcome }: { requests: number[]; answers: number[]; outcome: RegExp },
): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (const way of waysOf(site, owner)) {
    for (const given of [
      ...requests.map((pad) => ({ pad })),
      ...answers.map((size) => ({ size })),
    ]) {
      const result = await call(site, way, given);
      const said = `${JSON.stringify(given)} at ${way.name} was ${result.outcome}`;
      assert.ok(outcome.test(result.outcome), said);
      const isMade = [...site.calls().map(({ call }) => call), ...site.modern.calls];
      assert.equal(isMade.includes(result.call), outcome === ANSWERED, `${said}, made`);
      results.push(result);
    }
  }
  return results;
}

/** The same for a view, whose socket is closed after a message that is too large. */
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
    // 1009, unless the connection was lost before the reason could be read.
    assert.ok(code === 1009 || code === 1006, `closed with ${code}`);
    assert.ok(!site.calls().some(({ call }) => call === params.arguments.call), "not made");
  }
}

/** A response that is too large for the pipe: the program is ended, because the next message can't be found. */
async function tooLargeAnswer(site: Site, owner: number): Promise<number> {
  const [, routed, modern] = waysOf(site, owner) as [Way, Way, Way];
  for (const way of [routed, modern]) {
    const { outcome } = await call(site, way, { size: 9_000_000 });
    assert.equal(outcome, "unavailable", `an answer of 9 MB at ${way.name}`);
  }
  return until(async () => (await call(site, routed, {})).outcome === "answered");
}

/** If the edge accepts four megabytes, messages reach the owner in chunks that NATS accepts. */
async function inPieces(nats: NatsServers): Promise<Result> {
  const config = { limits: { message: 4 * mebi, userPerMinute: 1e7, userAtOnce: 1000 } };
  return withSite(
    nats,
    async (site) => {
      const owner = await ownerOf(site);
      const requests = [...FITTING, 1_100_000, 3_900_000];
      const results = await sweep(site, owner, { requests, answers: [], outcome: ANSWERED });
      const large = { requests: [9_000_000], answers: [], outcome: REFUSED };
      results.push(...(await sweep(site, owner, large)));
      return { ...(await judge(site, [{ results }])), times: {} };
    },
    { config },
  );
}

export const SIZE_ROW: Row = {
  number: 15,
  title: "bodies of 0.9 to 9 MB on all routes: forwarded in chunks, or rejected with a reason",
  run: async (nats) => {
    const pieces = await inPieces(nats);
    return withSite(nats, async (site) => {
      const owner = await ownerOf(site);
      const load = new Load(site, { callers: 1, servers: ["modern"], pause: 100 });
      const results = [
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
      const { zeros, counts } = await judge(site, [load, { results }]);
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
