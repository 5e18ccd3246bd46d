import { strict as assert } from "node:assert";
import type { Load } from "./load.ts";
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

/** Judges a load that is over: made at most once, and what was said of it is true. */
export async function judge(
  site: Site,
  loads: readonly Load[],
  { audit: isAudited = true }: { audit?: boolean } = {},
): Promise<{ zeros: Zeros; counts: Counts; audit: string }> {
  const made = new Map<string, number>();
  for (const call of [...site.calls().map(({ call }) => call), ...site.modern.calls]) {
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
  const {
    isWhole,
    said,
    answered: recorded,
  } = isAudited ? await site.audit() : { isWhole: true, said: "", answered: undefined };
  assert.ok(isWhole, `The audit log does not verify: ${said}`);
  return {
    zeros: {
      lost: recorded ? answered.filter(({ call }) => !recorded.has(call)).length : 0,
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

function overlaps(site: Site): number {
  const lives = site.lives();
  let count = 0;
  for (const [place, a] of lives.entries()) {
    for (const b of lives.slice(place + 1)) if (a.from <= b.to && b.from <= a.to) count += 1;
  }
  return count;
}
