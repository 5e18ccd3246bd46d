// `policy dry-run`: which of the recorded calls other policies would decide differently.

import { readAudit } from "../audit/index.ts";
import { type AuditFilter, auditFilter } from "../audit/query.ts";
import type { ReadRecord } from "../audit/reading.ts";
import { type Policy, PolicyError, readPolicies } from "../policy/authorization/policy-files.ts";
import {
  createReplay,
  type Judgement,
  type UnjudgedReason,
} from "../policy/authorization/replay.ts";
import type { Print } from "./audit-command.ts";
import type { AuditSource } from "./audit-source.ts";
import { loadEngine } from "./open-policy.ts";
import { OperatorError } from "./operator-error.ts";

/** What to replay. */
export interface DryRun {
  source: Pick<AuditSource, "log">;
  folder: string;
  filter: AuditFilter;
}

const EXAMPLES = 10;
const MOST_RULES = 50;

interface Tally {
  judged: number;
  changes: Map<string, number>;
  /** Changes by the policy that causes them. */
  rules: Map<string, number>;
  examples: string[];
  unjudged: Map<UnjudgedReason, number>;
  repeats: number;
}

/** Prints the calls that would change. Returns 1 if there are any. */
export async function policyDryRun(
  { source, folder, filter }: DryRun,
  print: Print,
): Promise<number> {
  const cedar = await loadEngine();
  const policies = await readPolicies(cedar, folder).catch((error: unknown) => {
    throw error instanceof PolicyError ? new OperatorError("policy", error.message) : error;
  });
  const replay = createReplay(cedar, policies);
  const tally: Tally = {
    ...{ judged: 0, changes: new Map(), rules: new Map(), examples: [], unjudged: new Map() },
    repeats: 0,
  };
  const places = new Map(policies.map((policy) => [policy.id, placeOf(policy)]));
  try {
    for await (const record of readAudit({ log: source.log, where: auditFilter(filter) })) {
      if (record.event === "denials" && record.method === "tools/call") {
        tally.repeats += record.repeats?.count ?? 0;
      }
      count(tally, { record, judgement: replay.judge(record), places });
    }
  } finally {
    replay.close();
  }
  for (const line of report(tally, { folder, policies })) print(`${line}\n`);
  return tally.changes.size === 0 ? 0 : 1;
}

function placeOf({ id, file, line }: Policy): string {
  return `${id}  ${file}:${line}`;
}

function count(
  tally: Tally,
  {
    record,
    judgement,
    places,
  }: { record: ReadRecord; judgement: Judgement; places: ReadonlyMap<string, string> },
): void {
  if (judgement.kind === "other") return;
  if (judgement.kind !== "judged") {
    add(tally.unjudged, judgement.kind);
    return;
  }
  tally.judged += 1;
  const { before, after } = judgement;
  if (before === after) return;
  const change = `${before} → ${after}`;
  add(tally.changes, change);
  const causes = judgement.policies.map((id) => places.get(id) ?? id);
  const rule = causes.length === 0 ? "No policy permits it." : causes.join(", ");
  add(tally.rules, `${change}  ${rule}`);
  if (tally.examples.length >= EXAMPLES) return;
  const { time, actor, server, tool } = record;
  tally.examples.push(`${time}  ${actor?.tenant}/${actor?.user}  ${server}/${tool}  ${change}`);
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const REASONS: Readonly<Record<UnjudgedReason, string>> = {
  arguments: "the policies read arguments, which weren't recorded (audit.level full records them)",
  groups: "the user has more groups than a record keeps",
  old: "an older version recorded them, without the caller's groups and the tool's hints",
};

function* report(
  { judged, changes, rules, examples, unjudged, repeats }: Tally,
  { folder, policies }: { folder: string; policies: readonly Policy[] },
): Generator<string> {
  const changed = [...changes.values()].reduce((sum, one) => sum + one, 0);
  yield `${judged} recorded calls were tried with the ${policies.length} policies in ${folder}.`;
  yield changed === 0 ? "None of them would change." : `${changed} would change:`;
  yield* table(changes);
  if (changed > 0) yield "By policy:";
  yield* table(new Map([...rules].sort(([, a], [, b]) => b - a).slice(0, MOST_RULES)));
  if (rules.size > MOST_RULES) yield `  and ${rules.size - MOST_RULES} more`;
  if (changed > 0) yield changed > examples.length ? "The first of them:" : "The calls:";
  for (const example of examples) yield `  ${example}`;
  for (const [reason, number] of unjudged) {
    yield `${number} calls can't be judged: ${REASONS[reason]}.`;
  }
  if (repeats > 0)
    yield `${repeats} repeated denials are only counted in the log, so they weren't tried.`;
}

function* table(counts: ReadonlyMap<string, number>): Generator<string> {
  for (const [text, number] of counts) yield `  ${`${number}`.padStart(7)}  ${text}`;
}
