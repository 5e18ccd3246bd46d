// Servers that fail: over HTTP, and as programs.

import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveSessions } from "@vitrine/internal/session-servers";
import { stationServer1 } from "@vitrine/internal/station-servers";
import { processes } from "../../../gateway/test/upstreams/programs.ts";
import { during } from "./fault.ts";
import { FLAGS } from "./gateway-child.ts";
import { type CallResult, Load } from "./load.ts";
import { type Failing, failing, type ModernServer, serveModern } from "./modern-server.ts";
import { type Result, type Row, sleep, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { hasLostLease, judge, unaffected } from "./verdict.ts";

const DEADLINE = 3000;
const PLACES = [0, 1, 2];
/** The failures that open a circuit breaker. */
const FAILURES = 5;
const EXPECTED: Record<Failing, string> = {
  reset: "outcome-unknown",
  hang: "timeout",
  "500": "outcome-unknown",
  "404": "unavailable",
};

let names = 0;
/** Calls a server at these gateways. Returns the results. */
async function callAll(
  site: Site,
  server: string,
  wheres: readonly number[],
): Promise<CallResult[]> {
  return Promise.all(
    wheres.map(async (where) => {
      const call = `u${++names}`;
      const result = await site.call(where, server, call);
      return { where, server, call, at: Date.now(), ...result };
    }),
  );
}

/** A server fails until all circuit breakers are open, then recovers and is called again. */
async function failOnce(
  site: Site,
  broken: ModernServer,
  how: Failing,
): Promise<{ results: CallResult[]; back: number }> {
  const results = await during(failing(broken, how), async () => {
    const five = PLACES.flatMap((where) => Array.from({ length: FAILURES }, () => where));
    const first = await callAll(site, "broken", five);
    assert.deepEqual([...new Set(first.map(({ outcome }) => outcome))], [EXPECTED[how]], how);
    const before = broken.arrived;
    const second = await callAll(site, "broken", five);
    assert.deepEqual([...new Set(second.map(({ outcome }) => outcome))], ["unavailable"], how);
    assert.equal(broken.arrived, before, `${how}: a server that is left alone is not called`);
    return [...first, ...second];
  });
  const since = performance.now();
  for (const where of PLACES) {
    await until(async () => {
      const [again] = await callAll(site, "broken", [where]);
      results.push(again as CallResult);
      if (again?.outcome !== "answered") await sleep(200);
      return again?.outcome === "answered";
    });
  }
  return { results, back: performance.now() - since };
}

async function forgottenSession(site: Site, served: { opened: number; forget(): void }) {
  const forecast = async (where: number) => {
    const params = { name: "forecast", arguments: { city: "Oslo" } };
    const { error } = await site.request(where, "old", "tools/call", params);
    assert.equal(error, undefined, "a call of a server with sessions");
  };
  for (const where of PLACES) await forecast(where);
  const before = served.opened;
  served.forget();
  const since = performance.now();
  for (const where of PLACES) await forecast(where);
  const time = performance.now() - since;
  assert.equal(served.opened - before, 1, "sessions after the old one was forgotten");
  return time;
}

const HTTP_ROW: Row = {
  number: 9,
  title: "a server over HTTP resets, hangs, responds with 500 and 404: others aren't affected",
  run: async (nats) => {
    const broken = await serveModern();
    await using served = await serveSessions(() => stationServer1().server, { unknown: 404 });
    const common = { private: true, consent: "host", deadline: DEADLINE };
    const servers = {
      broken: { url: broken.url, ...common },
      old: { url: served.url.href, ...common, deadline: 20_000, sharing: "all" },
    };
    const run = async (site: Site): Promise<Result> => {
      const load = new Load(site, { callers: 1 });
      await callAll(site, "broken", PLACES);
      const times: Record<string, number> = {};
      const results: CallResult[] = [];
      for (const how of ["reset", "hang", "500", "404"] as const) {
        const failed = await failOnce(site, broken, how);
        results.push(...failed.results);
        times[`called by all again after ${how}`] = failed.back;
      }
      times["called by all after a session was forgotten"] = await forgottenSession(site, served);
      await load.end();
      const notes = unaffected(site, load);
      const made = broken.calls.filter((call) => results.some((each) => each.call === call));
      return { ...(await judge(site, [load, { results }], { made })), times, notes };
    };
    try {
      return await withSite(nats, run, { servers });
    } finally {
      broken.close();
    }
  },
};

const PROGRAM = fileURLToPath(new URL("./children/crashing-server.ts", import.meta.url));
const LOOPS = 25;
const CRASHES = 8;
/** Milliseconds of back-off after each crash, which isn't configurable. */
const BACK_OFF = [500, 1000, 2000, 4000, 8000, 16_000, 30_000];

interface Crash {
  server: string;
  parent: number;
  call: string;
  startedAt: number;
  at: number;
}

function crashesOf(site: Site): Crash[] {
  const path = join(site.folder, "crashes");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [server = "", parent, call = "", startedAt, at] = line.split(" ");
    return { server, parent: Number(parent), call, startedAt: Number(startedAt), at: Number(at) };
  });
}

/** Calls a program that crashes at each call, until it has crashed often enough. */
async function crash(site: Site, server: string, first: number): Promise<CallResult[]> {
  const results: CallResult[] = [];
  for (let n = 0; ; n++) {
    const [result] = await callAll(site, server, [(first + n) % PLACES.length]);
    results.push(result as CallResult);
    const crashes = crashesOf(site).filter((each) => each.server === server);
    if (crashes.length >= CRASHES) return results;
    assert.ok(n < 1000, `${server} crashed ${crashes.length} times.`);
    await sleep(300);
  }
}

/**
 * Checks that at least the back-off is between an exit and the next start. Returns the number of checked restarts.
 * A gateway that lost its lease has ended everything, and the next owner starts without a back-off.
 */
function checkBackOff(site: Site, crashes: readonly Crash[]): number {
  let checked = 0;
  for (const [place, wait] of BACK_OFF.entries()) {
    const [before, after] = [crashes[place] as Crash, crashes[place + 1] as Crash];
    const parent = site.gateways.find(({ pid }) => pid === after.parent);
    if (before.parent !== after.parent || !parent || hasLostLease(parent)) return checked;
    const waited = after.startedAt - before.at;
    assert.ok(waited >= wait - 50, `It was started ${waited} ms after crash ${place + 1}.`);
    checked += 1;
  }
  return checked;
}

const CRASH_ROW: Row = {
  number: 10,
  title: `${LOOPS} programs crash at every call, ${LOOPS * CRASHES} times in total: they are started less often, and nothing is left of them`,
  run: (nats) => {
    const mark = `crash-loop-${process.pid}`;
    const names = Array.from({ length: LOOPS }, (_, n) => `loop-${n}`);
    const command = (name: string) => [process.execPath, ...FLAGS, PROGRAM, name, mark];
    const env = (name: string) => ({
      command: command(name),
      cwd: ".",
      sharing: "all",
      consent: "host",
    });
    const run = async (site: Site): Promise<Result> => {
      const load = new Load(site, { callers: 1, pause: 200 });
      const began = performance.now();
      let most = 0;
      const counting = setInterval(() => {
        most = Math.max(most, processes({ mark }).length);
      }, 1000);
      const results = (
        await Promise.all(names.map((name, n) => crash(site, name, n))).finally(() =>
          clearInterval(counting),
        )
      ).flat();
      const took = performance.now() - began;
      const crashes = crashesOf(site);
      let checked = 0;
      for (const name of names) {
        checked += checkBackOff(
          site,
          crashes.filter(({ server }) => server === name),
        );
      }
      // At most one process of each at a time, and no exited process is left, not even as a zombie.
      assert.ok(most <= LOOPS, `${most} processes of ${LOOPS} programs`);
      await until(() => processes({ mark }).length === 0, 10_000);
      await load.end();
      const notes = unaffected(site, load);
      const outcomes = new Set(results.map(({ outcome }) => outcome));
      for (const outcome of outcomes)
        assert.ok(/^(outcome-unknown|unavailable)$/.test(outcome), outcome);
      const made = crashes.map(({ call }) => call);
      const owners = new Set(results.map(({ where }) => where)).size;
      return {
        ...(await judge(site, [load, { results }], { made })),
        times: { "all crashes, with the back-off as it is": took },
        notes: [
          ...notes,
          `${checked} waits looked at, all as long as they should be`,
          `${crashes.length} crashes, called at ${owners} gateways, ${most} processes at once`,
        ],
        notRun:
          checked > 0
            ? []
            : [
                "the back-off: all gateways missed a lease, so each owner started without one; too little CPU",
              ],
      };
    };
    const servers = Object.fromEntries(names.map((name) => [name, env(name)]));
    return withSite(nats, run, { servers });
  },
};

export const UPSTREAM_ROWS: readonly Row[] = [HTTP_ROW, CRASH_ROW];
