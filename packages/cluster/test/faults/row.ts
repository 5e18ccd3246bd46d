// Shared parts of the rows of the fault table.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import type { NatsServers } from "@vitrine/internal/nats-server";
import { openSite, type Site, type SiteOptions } from "./site.ts";
import type { Counts, Zeros } from "./verdict.ts";

/** The findings of a row. */
export interface Result {
  zeros: Zeros;
  counts: Counts;
  /** Measured times in milliseconds, by description. */
  times: Record<string, number>;
  /** Other findings. */
  notes?: readonly string[];
  /** What this machine can't test, and why. */
  notRun?: readonly string[];
}

/** How a row is run. */
export interface RowOptions {
  /** Skips repetitions that only take time. */
  quick: boolean;
}

/** A fault and the expected behaviour. */
export interface Row {
  number: number;
  title: string;
  run(nats: NatsServers, options: RowOptions): Promise<Result>;
}

export const sleep = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time));
let prefixes = 0;

/** Records are written to the spool first: an engine outage blocks no call, and a kill loses nothing. */
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

/** The last problems in the gateways' logs; their whole logs if `FAULTS_LOG` is set. */
export function troublesOf(site: Site): string {
  const isTrouble = (line: string): boolean =>
    /"level":"error"|rejected a message between processes|^\s+at |Error/.test(line);
  return site.gateways
    .map((gateway) => {
      const lines = gateway.output().split("\n").filter(Boolean);
      const shown = process.env.FAULTS_LOG ? lines : lines.filter(isTrouble);
      return [`log of ${gateway.name}:`, ...shown.slice(-20)].join("\n  ");
    })
    .join("\n");
}

/** The gateway whose child is the recorder. */
export async function ownerOf(site: Site): Promise<number> {
  await until(async () => {
    const { outcome } = await site.call(0, "recorder", `find-${Math.random()}`);
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

/** Whether a process is alive; a zombie isn't. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits for a condition. Returns the milliseconds that took. */
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

/** The memory of a process in bytes. */
export function memoryOf(pid: number): number {
  const [, kibi = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibi) * 1024;
}

/** The places of the other gateways. */
export const others = (site: Site, place: number): number[] =>
  site.gateways.map((_, other) => other).filter((other) => other !== place);
