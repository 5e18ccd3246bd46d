import { strict as assert } from "node:assert";
import type { GatewayProcess } from "./gateway-child.ts";
import type { Load } from "./load.ts";
import { until } from "./row.ts";
import type { Site } from "./site.ts";

/** Counts that must be zero, whatever failed. */
export interface Zeros {
  /** Calls that were answered and are not in the audit log. */
  lost: number;
  /** Calls that were carried out more than once. */
  twice: number;
  /** Pairs of children that lived at the same time. */
  owners: number;
}

/** Numbers of results. */
export interface Counts {
  calls: number;
  answered: number;
  unknown: number;
  refused: number;
}

// After these the outcome of a call is unknown: it may have been carried out.
const UNKNOWN = new Set(["outcome-unknown", "connection-lost", "timeout", "aborted"]);

/** Checks finished loads: each call was carried out at most once, and its result is true. */
export async function judge(
  site: Site,
  loads: readonly Pick<Load, "results">[],
  { made: elsewhere = [] }: { made?: readonly string[] } = {},
): Promise<{ zeros: Zeros; counts: Counts; audit: string }> {
  const made = new Map<string, number>();
  for (const call of [
    ...site.calls().map(({ call }) => call),
    ...site.modern.calls,
    ...elsewhere,
  ]) {
    made.set(call, (made.get(call) ?? 0) + 1);
  }
  const results = loads.flatMap((load) => load.results);
  const of = (isMeant: (outcome: string) => boolean) =>
    results.filter((each) => isMeant(each.outcome));
  const answered = of((outcome) => outcome === "answered");
  const unknown = of((outcome) => UNKNOWN.has(outcome));
  const refused = of((outcome) => outcome !== "answered" && !UNKNOWN.has(outcome));
  const untrue = [
    ...answered
      .filter(({ call }) => !made.has(call))
      .map(({ call }) => `${call} answered, not made`),
    ...refused
      .filter(({ call }) => made.has(call))
      .map(({ call, outcome }) => `${call} refused (${outcome}), but made`),
  ];
  assert.deepEqual(untrue.slice(0, 10), [], "results that aren't true");
  // An acknowledged record is on the gateway's disk, and may not have been forwarded yet.
  await recorded(site, loads).catch(() => {});
  const { isWhole, said, answered: known } = await site.audit();
  assert.ok(isWhole, `The audit log does not verify: ${said}`);
  const lost = answered.filter(({ call }) => !known.has(call));
  if (lost.length > 0) console.log("lost, the first of them:", lost.slice(0, 5));
  return {
    zeros: {
      lost: lost.length,
      twice: [...made.values()].filter((count) => count > 1).length,
      owners: overlaps(site),
    },
    counts: {
      calls: results.length,
      answered: answered.length,
      unknown: unknown.length,
      refused: refused.length,
    },
    audit: said.split("\n")[0] ?? "",
  };
}

/**
 * Checks that all calls that the fault doesn't affect were answered. On a busy machine a gateway may miss a lease
 * anyway; then calls that need an owner are ignored, and a note reports that.
 */
export function unaffected(
  site: Site,
  { results }: Pick<Load, "results">,
  gateways: readonly number[] = [0, 1, 2],
): string[] {
  const late = site.gateways.filter(
    (gateway, place) => gateways.includes(place) && hasLostLease(gateway),
  );
  const judged = results.filter(
    ({ where, server }) => gateways.includes(where) && (late.length === 0 || server !== "recorder"),
  );
  const failed = judged.filter(({ outcome }) => outcome !== "answered");
  assert.deepEqual(failed.slice(0, 5), [], "calls that had nothing to do with it");
  const names = late.map(({ name }) => name).join(", ");
  return names ? [`${names} missed a lease, so calls of the program were ignored`] : [];
}

/** Whether a gateway lost its lease since it was started. */
export function hasLostLease(gateway: GatewayProcess): boolean {
  return gateway.output().includes("lost contact with the engine");
}

/** Waits until all answered calls are in the audit log. Returns the milliseconds that took. */
export function recorded(site: Site, loads: readonly Pick<Load, "results">[]): Promise<number> {
  const results = loads.flatMap((load) => load.results);
  const answered = results.filter(({ outcome }) => outcome === "answered");
  return until(async () => {
    const { answered: known } = await site.audit();
    return answered.every(({ call }) => known.has(call));
  }, 90_000);
}

function overlaps(site: Site): number {
  const lives = site.lives();
  let count = 0;
  for (const [place, a] of lives.entries()) {
    for (const b of lives.slice(place + 1)) if (a.from <= b.to && b.from <= a.to) count += 1;
  }
  return count;
}
