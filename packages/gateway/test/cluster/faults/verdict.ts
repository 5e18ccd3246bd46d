import { strict as assert } from "node:assert";
import type { GatewayProcess } from "./gateway-child.ts";
import type { Load } from "./load.ts";
import { until } from "./row.ts";
import type { Site } from "./site.ts";

/** What must be nothing, whatever failed. */
export interface Zeros {
  /** Calls that were answered and are not in the audit log. */
  lost: number;
  /** Calls that were made more than once. */
  twice: number;
  /** Pairs of children that lived at the same time. */
  owners: number;
}

/** What was told, counted. */
export interface Counts {
  calls: number;
  answered: number;
  unknown: number;
  refused: number;
}

// After these nobody knows what became of a call: it may have been made.
const UNKNOWN = new Set(["outcome-unknown", "connection-lost", "timeout", "aborted"]);

/** Judges loads that are over: made at most once, and what was said of them is true. */
export async function judge(
  site: Site,
  loads: readonly Pick<Load, "told">[],
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
  const told = loads.flatMap((load) => load.told);
  const of = (isMeant: (outcome: string) => boolean) => told.filter((t) => isMeant(t.outcome));
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
  assert.deepEqual(untrue.slice(0, 10), [], "what callers were told");
  // What is acknowledged is on the gateway's disk, and may be on its way from there.
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
      calls: told.length,
      answered: answered.length,
      unknown: unknown.length,
      refused: refused.length,
    },
    audit: said.split("\n")[0] ?? "",
  };
}

/**
 * Judges what had nothing to do with a failure: all of it was answered. On a machine with too much to do a gateway
 * may miss a lease all the same; what then needs an owner is no news about the failure, and that is said.
 */
export function unaffected(
  site: Site,
  { told }: Pick<Load, "told">,
  gateways: readonly number[] = [0, 1, 2],
): string[] {
  const late = site.gateways.filter(
    (gateway, place) => gateways.includes(place) && isCountedOut(gateway),
  );
  const judged = told.filter(
    ({ where, server }) => gateways.includes(where) && (late.length === 0 || server !== "witness"),
  );
  const failed = judged.filter(({ outcome }) => outcome !== "answered");
  assert.deepEqual(failed.slice(0, 5), [], "calls that had nothing to do with it");
  const names = late.map(({ name }) => name).join(", ");
  return names ? [`${names} missed a lease, so calls of the program were not held against it`] : [];
}

/** Whether a gateway was counted out of the cluster since it was started. */
export function isCountedOut(gateway: GatewayProcess): boolean {
  return gateway.output().includes("lost touch with the engine");
}

/** Waits until what was answered is recorded: as soon as the engine can be written to. Says how long. */
export function recorded(site: Site, loads: readonly Pick<Load, "told">[]): Promise<number> {
  const told = loads.flatMap((load) => load.told);
  const answered = told.filter(({ outcome }) => outcome === "answered");
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
