import { expect, test } from "vitest";
import type { Channel } from "../channels/channel.ts";
import { CHANNELS } from "../channels/channel-table.ts";
import { type CheckResult, runChecks } from "../check-run.ts";
import type { Check } from "../checks/check.ts";
import type { Attempt } from "../egress.ts";
import { EgressMatrix } from "../egress-matrix.ts";
import type { Evidence, EvidenceKind } from "../lab/evidence-log.ts";
import type { Laboratory } from "../lab/laboratory.ts";
import { checkLines, type Findings, failures, newlyFired } from "../report.ts";
import { timeLine, timeProblems } from "../run-time.ts";
import type { StageName } from "../stage/deployment.ts";
import type { Theatre } from "../stage/theatre.ts";

const TIME = { seconds: 1, egressSeconds: 0, slowness: 1 };

function channel(id: string): Channel {
  const found = CHANNELS.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`There is no channel ${id}.`);
  return found;
}

/** A run in which this was seen, by stage and channel; `undefined` where the view did not start. */
function run(
  seen: [stage: StageName, id: string, kind: EvidenceKind | "nothing" | undefined][],
  seesDns = true,
): Findings {
  const attempts: Attempt[] = seen.map(([stage, id, kind], at) => ({
    stage,
    channel: channel(id),
    cell: String(at),
    started: kind !== undefined,
    killed: undefined,
    error: undefined,
  }));
  const evidenceOf = (cell: string): Evidence[] => {
    const kind = seen[Number(cell)]?.[2];
    return kind === undefined || kind === "nothing" ? [] : [{ kind, detail: "" }];
  };
  const matrix = new EgressMatrix(attempts, evidenceOf, seesDns);
  return { chromium: "1", seesDns, complete: false, matrix, checks: [], time: TIME };
}

test("a control that is silent though it is known to fire fails the run", () => {
  const silent = run([
    ["control-http", "fetch", "nothing"],
    ["tier-2", "fetch", "nothing"],
  ]);
  expect(failures(silent)).toEqual(["the control of fetch was silent: its dots say nothing"]);
  const loud = run([
    ["control-http", "fetch", "http"],
    ["tier-2", "fetch", "nothing"],
  ]);
  expect(failures(loud)).toEqual([]);
});

test("a control that never fired may stay silent, and is noted when it does fire", () => {
  const before = run([
    ["control-http", "svg_use", "nothing"],
    ["tier-2", "svg_use", "nothing"],
  ]);
  expect([failures(before), newlyFired(before)]).toEqual([[], []]);
  const after = run([
    ["control-http", "svg_use", "http"],
    ["tier-2", "svg_use", "nothing"],
  ]);
  expect([failures(after), newlyFired(after)]).toEqual([[], ["svg_use"]]);
});

test("look-ups have to be seen only where they can be", () => {
  const seen: Parameters<typeof run>[0] = [
    ["control-http", "dns_prefetch", "nothing"],
    ["tier-2", "dns_prefetch", "nothing"],
  ];
  expect(failures(run(seen, false))).toEqual([]);
  expect(failures(run(seen))).toHaveLength(1);
});

test("of two attempts at one channel the leak counts, whichever came first", () => {
  const first = run([
    ["control-http", "fetch", "http"],
    ["tier-2", "fetch", "http"],
    ["tier-2", "fetch", "nothing"],
  ]);
  expect(failures(first)).toEqual(["tier-2: fetch leaks"]);
  const second = run([
    ["control-http", "fetch", "http"],
    ["tier-2", "fetch", undefined],
    ["tier-2", "fetch", "nothing"],
  ]);
  expect(failures(second)).toEqual([]);
});

/** Runs one check whose tries end as given. */
async function tried(marks: Partial<Check>, outcomes: string[][]): Promise<CheckResult> {
  const check: Check = {
    id: "made-up",
    title: "made up",
    entries: [],
    stages: ["tier-2"],
    run: async () => outcomes.shift() ?? ["one try too many"],
    ...marks,
  };
  const theatre = {
    tiers: [{ name: "tier-2" }],
    listed: { name: "tier-1-listed" },
  } as unknown as Theatre;
  const [result] = await runChecks({} as Laboratory, theatre, [check], { calmTime: 0 });
  if (!result) throw new Error("The check did not run.");
  return result;
}

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

test.each([{ alone: true } as const, { timing: true } as const])(
  "a check that measures time (%o) has three tries, and all of them are reported",
  async (marks) => {
    const third = await tried(marks, [["took 2 s"], ["took 1 s"], []]);
    expect(third).toMatchObject({
      complaints: [],
      earlier: [/took 2 s/, /took 1 s/].map(matching),
    });
    expect(checkLines([third])).toMatch(
      /^ok .*\n +try 1: took 2 s \(machine .*\n +try 2: took 1 s /,
    );
    const never = await tried(marks, [["a"], ["b"], ["c"], []]);
    expect(never).toMatchObject({ complaints: ["c"], earlier: [/^a /, /^b /].map(matching) });
  },
);

test("what got out is not tried again, nor a check that does not measure time", async () => {
  const leak = await tried({ alone: true }, [["it took 2 s", "attacker got http: GET /"], []]);
  expect(leak).toMatchObject({ complaints: ["it took 2 s", expect.any(String)], earlier: [] });
  const plain = await tried({}, [["the view was shown"], []]);
  expect(plain).toMatchObject({ complaints: ["the view was shown"], earlier: [] });
});

test("a run above its bound fails, unless the machine was as much slower", () => {
  const late = { ...TIME, seconds: 500, bound: 480 };
  expect(timeProblems(late)).toEqual(["the run took 500 s, more than 480 s on an idle machine"]);
  expect(timeProblems({ ...late, slowness: 1.2 })).toEqual([]);
  expect(timeProblems({ ...TIME, seconds: 500 })).toEqual([]);
  expect(timeLine({ ...late, slowness: 1.2 })).toContain("1.2 times as slow");
});
