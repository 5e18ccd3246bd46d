// What the rows of the table of failures have in common.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import type { NatsServers } from "@vitrine/testing/nats-server";
import { openSite, type Site, type SiteOptions } from "./site.ts";
import type { Counts, Zeros } from "./verdict.ts";

/** What a row found. */
export interface Result {
  zeros: Zeros;
  counts: Counts;
  /** Milliseconds, by what they mean. */
  times: Record<string, number>;
}

/** A failure, and what must come of it. */
export interface Row {
  number: number;
  title: string;
  run(nats: NatsServers): Promise<Result>;
}

export const sleep = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time));
let prefixes = 0;

/** Runs with three gateways of their own. */
export async function withSite(
  nats: NatsServers,
  run: (site: Site) => Promise<Result>,
  options: Partial<SiteOptions> = {},
): Promise<Result> {
  const prefix = `f${process.pid}-${++prefixes}`;
  const site = await openSite(nats, { prefix, ...options });
  try {
    return await run(site);
  } finally {
    if (process.env.FAULTS_LOG) {
      for (const each of site.gateways) console.error(each.name, each.output().slice(-3000));
    }
    await site.close();
  }
}

/** The gateway whose child is the witness. */
export async function ownerOf(site: Site): Promise<number> {
  const { outcome } = await site.call(0, "witness", `find-${Math.random()}`);
  assert.equal(outcome, "answered");
  const child = site.calls().at(-1)?.process as number;
  const place = site.gateways.findIndex(({ pid }) => parentOf(child) === pid);
  assert.ok(place >= 0, "The child belongs to none of the gateways.");
  return place;
}

function parentOf(pid: number): number {
  return Number(/^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}

/** Whether a process is there; one that nobody has waited for yet is dead all the same. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits, and says for how long. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  time = 30_000,
): Promise<number> {
  const before = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - before > time) throw new Error(`Not within ${time} ms.`);
    await sleep(20);
  }
  return performance.now() - before;
}

/** The places of the other gateways. */
export const others = (site: Site, place: number): number[] =>
  site.gateways.map((_, other) => other).filter((other) => other !== place);
