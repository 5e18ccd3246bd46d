// Planned changes of a running cluster: an upgrade of its program, and a rotation of its keys. Unlike after a failure,
// no call may fail.

import { strict as assert } from "node:assert";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFormerProgram } from "./former-program.ts";
import { MAIN } from "./gateway-child.ts";
import { RollingLoad } from "./rolling-load.ts";
import { type Result, type Row, until, withSite } from "./row.ts";
import type { Site } from "./site.ts";
import { judge } from "./verdict.ts";

/** A change, by the word that runs it. */
export type ChangeRow = Omit<Row, "number"> & { readonly name: string };

/** Long enough for a balancer to notice that a gateway is about to end. */
const CONFIG = {
  audit: { level: "full", mode: "spool" },
  drain: { delay: 500, time: 10_000 },
};
/** Results that must arrive between two restarts. */
const BETWEEN = { quick: 60, full: 300 };
const ROTATED = ["ticket", "token", "store", "cluster", "audit", "signing"];

/** Restarts one gateway after the other under load. */
async function roll(
  site: Site,
  load: RollingLoad,
  options: { program?: string; places?: readonly number[]; calls: number },
): Promise<void> {
  const { program, places = [0, 1, 2], calls } = options;
  for (const place of places) {
    const gateway = site.gateways[place];
    assert.ok(gateway);
    await gateway.end("SIGTERM");
    if (program !== undefined) gateway.program = program;
    await gateway.start();
    await load.untilReady(place);
    await load.more(calls);
  }
}

/** All calls were answered, recorded and made once. */
async function verdict(
  site: Site,
  load: RollingLoad,
  rest: Pick<Result, "times" | "notes">,
): Promise<Result> {
  await load.end();
  const judged = await judge(site, [load]);
  const { failures } = load;
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} calls failed`);
  const { isWhole, said } = await site.audit();
  assert.ok(isWhole, said);
  const { zeros, counts } = judged;
  const figures = `0 of ${counts.calls} calls failed, ${zeros.lost} records lost, ${zeros.twice} calls made twice`;
  return { ...judged, ...rest, notes: [...(rest.notes ?? []), figures, ...said.split("\n")] };
}

/** Calls that a gateway sent to another one or received, and how many of its messages were rejected. */
async function routed(site: Site, place: number): Promise<{ calls: number; rejected: number }> {
  const response = await fetch(`${site.gateways[place]?.operator}/metrics`);
  const text = await response.text();
  const sum = (pattern: RegExp): number =>
    [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    calls: sum(/^vitrine_cluster_calls_total\{[^}]*outcome="answered"[^}]*\} (\d+)/gm),
    rejected: sum(/^vitrine_cluster_envelopes_refused_total (\d+)/gm),
  };
}

async function noneRejected(site: Site): Promise<number> {
  const all = await Promise.all(site.gateways.map((_, place) => routed(site, place)));
  assert.deepEqual(
    all.map(({ rejected }) => rejected),
    [0, 0, 0],
    "rejected messages",
  );
  return all.reduce((sum, { calls }) => sum + calls, 0);
}

async function upgrade(site: Site, isQuick: boolean): Promise<Result> {
  const calls = isQuick ? BETWEEN.quick : BETWEEN.full;
  const former = site.gateways[0]?.program;
  const load = new RollingLoad(site);
  await load.untilReady(2);
  await load.more(calls);
  const start = performance.now();
  let mixed = 0;
  for (const place of [0, 1, 2]) {
    await roll(site, load, { program: MAIN, places: [place], calls });
    if (place < 2) mixed += await noneRejected(site);
  }
  assert.ok(mixed > 0, "no call went from one gateway to another");
  const times: Record<string, number> = { "upgrade of three gateways": performance.now() - start };
  if (!isQuick && former !== undefined) {
    const again = performance.now();
    await roll(site, load, { program: former, places: [1], calls });
    await roll(site, load, { program: MAIN, places: [1], calls });
    times["one gateway back to the earlier version, and upgraded again"] =
      performance.now() - again;
  }
  const notes = [`${mixed} calls between gateways of both versions`];
  return verdict(site, load, { times, notes });
}

/** Writes the lines of each key file, which all gateways share. */
async function rewriteKeys(site: Site, change: (name: string, own: string[]) => string[]) {
  for (const name of ROTATED) {
    const file = join(site.folder, "keys", `${name}.key`);
    const own = (await readFile(file, "utf8")).trim().split("\n");
    await writeFile(file, `${change(name, own).join("\n")}\n`, { mode: 0o600 });
  }
}

async function rotate(site: Site, isQuick: boolean): Promise<Result> {
  const calls = isQuick ? BETWEEN.quick : BETWEEN.full;
  const load = new RollingLoad(site);
  await load.untilReady(2);
  await load.more(calls);
  const times: Record<string, number> = {};
  const step = async (what: string, change: (name: string, own: string[]) => string[]) => {
    const start = performance.now();
    await rewriteKeys(site, change);
    await roll(site, load, { calls });
    await noneRejected(site);
    times[what] = performance.now() - start;
  };
  const fresh = (): string => randomBytes(32).toString("base64url");
  await step("new keys as second lines", (_name, [old = ""]) => [old, fresh()]);
  await step("new keys as first lines", (_name, [old = "", next = ""]) => [next, old]);
  const isResealed = (): boolean =>
    site.gateways[2]?.output().includes("all stored values use the first key") ?? false;
  await until(isResealed);
  // The old audit key stays, because it verifies the records that it made.
  await step("without the old keys", (name, own) => (name === "audit" ? own : own.slice(0, 1)));
  const result = await verdict(site, load, { times });
  const keys = (result.notes ?? []).filter((note) => /^Key k-\w+ made \d+ steps/.test(note));
  assert.equal(keys.length, 2, "audit keys in the log");
  return result;
}

/** The planned changes. */
export const CHANGE_ROWS: readonly ChangeRow[] = [
  {
    name: "upgrade",
    title: "Three gateways are upgraded from the wire version before, one after the other",
    run: async (nats, { quick }) => {
      const former = openFormerProgram();
      if (!former) throw new Error("This clone lacks the commit of the version before.");
      try {
        const options = { program: former.main, config: CONFIG };
        const result = await withSite(nats, (site) => upgrade(site, quick), options);
        return { ...result, notes: [`from ${former.name}`, ...(result.notes ?? [])] };
      } finally {
        former.remove();
      }
    },
  },
  {
    name: "keys",
    title: "All keys but the sandbox's are rotated in three rolling restarts",
    run: (nats, { quick }) => withSite(nats, (site) => rotate(site, quick), { config: CONFIG }),
  },
];
