// `npm run soak -- --seed N [--minutes 10] [--every 20] [--quick]`: three gateways on three NATS nodes, with
// views that call all the time, and a fault every so many seconds, chosen by the seed and healed before the next.
// At the end: nothing acknowledged is lost, nothing was carried out twice, there were never two owners, the audit
// log verifies, all gateways serve, and memory is flat.

import { strict as assert } from "node:assert";
import { parseArgs } from "node:util";
import { seeded } from "../../../gateway/test/faults/seeded.ts";
import { openBalancer } from "../faults/balancer.ts";
import { startPartitionable } from "../faults/partitionable-nats.ts";
import { sleep, troublesOf, until } from "../faults/row.ts";
import { openSite, type Site } from "../faults/site.ts";
import { allow } from "../faults/user-faults.ts";
import { judge, recorded } from "../faults/verdict.ts";
import { ViewLoad } from "../faults/view-load.ts";
import { figureOf } from "../faults/view-socket.ts";
import { type Drawn, openDeck, type Scene } from "./deck.ts";
import { type MemoryFinding, MemoryWatch, type Watched } from "./memory.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string" },
    every: { type: "string", default: "20" },
    quick: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes ?? (values.quick ? 2 : 10));
const every = Number(values.every) * 1000;
assert.ok(
  [seed, minutes, every].every(Number.isFinite),
  "--seed, --minutes and --every must be numbers",
);
const VIEWS = 8;
const PAUSE = 100;
const PLACES = [0, 1, 2];

// An interrupted run ends its child processes in the handlers of `exit`.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(130));

const secondsOf = (time: number): string => `${(time / 1000).toFixed(1)} s`;

/** Injects and heals a fault. Returns the milliseconds from healing until the gateways serve again. */
async function suffer(site: Site, { fault, hold }: Drawn): Promise<number> {
  try {
    await fault.inject();
    await sleep(hold);
  } finally {
    await fault.heal();
  }
  return serveAgain(site);
}

let probes = 0;
/** Waits until both servers can be called at each gateway. Returns the milliseconds that took. */
async function serveAgain(site: Site): Promise<number> {
  const since = performance.now();
  await Promise.all(
    PLACES.flatMap((where) =>
      ["recorder", "modern"].map((server) =>
        until(async () => {
          const { outcome } = await site.call(where, server, `probe-${++probes}`);
          if (outcome !== "answered") await sleep(200);
          // Without the user's consent the call is denied, which is a response too.
          return outcome === "answered" || outcome === "consent-required";
        }, 60_000),
      ),
    ),
  );
  return performance.now() - since;
}

/** Injects faults until the time is over. */
async function soak(
  scene: Scene,
  memory: MemoryWatch,
): Promise<{ faults: number; slowest: number }> {
  const draw = openDeck(scene, seeded(seed));
  const began = performance.now();
  const clock = (): string => secondsOf(performance.now() - began).padStart(8);
  let faults = 0;
  let slowest = 0;
  const end = began + minutes * 60_000;
  // A fault that takes long to heal delays the next one: there is never more than one at a time.
  for (let next = began + every; next < end; next = Math.max(next + every, performance.now())) {
    await sleep(Math.max(0, next - performance.now()));
    await memory.look();
    const drawn = await draw();
    console.log(`${clock()}  ${drawn.fault.name}, for ${secondsOf(drawn.hold)}`);
    const again = await suffer(scene.site, drawn);
    console.log(`${clock()}    all serve ${secondsOf(again)} after it was healed`);
    faults += 1;
    slowest = Math.max(slowest, again);
  }
  await memory.look();
  return { faults, slowest };
}

/** The gateways. They have work while they have views; a restarted gateway has none at first. */
function watchedOf(site: Site): Watched[] {
  return site.gateways.map((gateway, place) => ({
    name: gateway.name,
    get pid() {
      return gateway.pid;
    },
    output: () => gateway.output(),
    signal: (signal) => gateway.signal(signal),
    isReady: () => gateway.isReady(),
    isAtWork: async () => (await figureOf(site, place, "vitrine_views")) > 0,
  }));
}

function printMemory(findings: readonly MemoryFinding[]): boolean {
  const mebi = (bytes: number, digits = 0): string => (bytes / 2 ** 20).toFixed(digits);
  let judged = 0;
  for (const { name, inUse, resident, isFlat } of findings) {
    if (inUse === undefined || resident === undefined) {
      console.log(`memory of ${name}: too short a life`);
      continue;
    }
    judged += 1;
    const use = `${mebi(inUse.early, 1)} MiB in use, then ${mebi(inUse.late, 1)} MiB`;
    const whole = `resident ${mebi(resident.early)} MiB, then ${mebi(resident.late)} MiB`;
    console.log(`memory of ${name}: ${use}; ${whole}${isFlat ? "" : ": GROWS"}`);
  }
  if (judged === 0) console.log("memory: no process lived long enough to be judged");
  // Two minutes are too short to measure memory.
  return (judged > 0 || values.quick) && findings.every(({ isFlat }) => isFlat);
}

console.log(`soak of ${minutes} minutes, a fault every ${every / 1000} s, seed ${seed}`);
const partitionable = await startPartitionable();
const balancer = await openBalancer();
const site = await openSite(partitionable.nats, {
  prefix: `soak-${process.pid}`,
  consent: "always",
  hosts: [`localhost:${balancer.port}`],
  config: { audit: { level: "full", mode: "spool" } },
});
let isGood = false;
try {
  balancer.targets = site.gateways.map(({ url }) => Number(new URL(url).port));
  for (const server of ["recorder", "modern"]) await allow(site, 0, server);
  const gateway = `http://localhost:${balancer.port}/`;
  const load = new ViewLoad({ gateway, views: VIEWS, pause: PAUSE });
  await load.open();
  const memory = new MemoryWatch(watchedOf(site), { time: minutes * 60_000 });
  const { faults, slowest } = await soak({ site, partitionable, balancer }, memory);
  await load.end();
  const findings = memory.end();
  // A record that isn't in the log by then is lost, which is counted below.
  const written = await recorded(site, [load]).catch(() => Number.POSITIVE_INFINITY);
  const { zeros, counts, audit } = await judge(site, [load]);
  const isFlat = printMemory(findings);
  console.log(`audit log: ${audit}; all recorded ${secondsOf(written)} after the end`);
  console.log(
    `${faults} faults; all served again at most ${secondsOf(slowest)} after one was healed`,
  );
  const { calls, answered, unknown, refused } = counts;
  console.log(`${calls} calls: ${answered} answered, ${unknown} unknown, ${refused} refused`);
  console.log(`lost ${zeros.lost}, made twice ${zeros.twice}, two owners ${zeros.owners}`);
  isGood = isFlat && zeros.lost + zeros.twice + zeros.owners === 0;
} catch (error) {
  console.log(`${(error as Error).stack}`);
  console.log(troublesOf(site));
} finally {
  await site.close();
  balancer.close();
  await partitionable.close();
}
console.log(isGood ? "ok" : "FAIL");
process.exit(isGood ? 0 : 1);
