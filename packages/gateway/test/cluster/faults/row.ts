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
  /** What else was found. */
  notes?: readonly string[];
  /** What this machine cannot do, and why. */
  notRun?: readonly string[];
}

/** How a row is run. */
export interface RowOptions {
  /** With less of what only takes time. */
  quick: boolean;
}

/** A failure, and what must come of it. */
export interface Row {
  number: number;
  title: string;
  run(nats: NatsServers, options: RowOptions): Promise<Result>;
}

export const sleep = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time));
let prefixes = 0;

/** Written at once and stored later: an engine that is away stops no call, and a kill loses nothing. */
export const SPOOL = { config: { audit: { level: "full", mode: "spool" } } };

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
  } catch (error) {
    console.error(troublesOf(site));
    throw error;
  } finally {
    await site.close();
  }
}

/** What the gateways say went wrong within them, the last of it; all they say with `FAULTS_LOG` set. */
export function troublesOf(site: Site): string {
  const isTrouble = (line: string): boolean =>
    /"level":"error"|envelope refused|^\s+at |Error/.test(line);
  return site.gateways
    .map((gateway) => {
      const lines = gateway.output().split("\n").filter(Boolean);
      const told = process.env.FAULTS_LOG ? lines : lines.filter(isTrouble);
      return [`what ${gateway.name} says:`, ...told.slice(-20)].join("\n  ");
    })
    .join("\n");
}

/** The gateway whose child is the witness. */
export async function ownerOf(site: Site): Promise<number> {
  await until(async () => {
    const { outcome } = await site.call(0, "witness", `find-${Math.random()}`);
    return outcome === "answered";
  });
  const child = site.calls().at(-1)?.process as number;
  const place = site.gateways.findIndex(({ pid }) => parentOf(child) === pid);
  assert.ok(place >= 0, "The child belongs to none of the gateways.");
  return place;
}

/** The process that has started another. */
export function parentOf(pid: number): number {
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

/** Bytes that a process has in memory. */
export function memoryOf(pid: number): number {
  const [, kibi = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibi) * 1024;
}

/** The places of the other gateways. */
export const others = (site: Site, place: number): number[] =>
  site.gateways.map((_, other) => other).filter((other) => other !== place);
