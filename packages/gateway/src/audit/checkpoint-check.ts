// Compares a log with signed checkpoints, without the audit key. It recomputes the digest of each run, so a record
// before the last checkpoint of its run can't be changed, removed, moved or added unnoticed.

import type { KeyObject } from "node:crypto";
import type { Log } from "../engine/engine.ts";
import { PARTITION, readStepHead, type StepHead } from "./chain.ts";
import { NO_DIGEST, nextDigest } from "./chain-key.ts";
import { type Checkpoint, openCheckpoint } from "./checkpoint.ts";

/** The result of a comparison. */
export interface CheckpointResult {
  readonly ok: boolean;
  /** Checkpoints that match the log. */
  readonly matches: number;
  readonly records: number;
  /** Records before the last matching checkpoint of their run. */
  readonly covered: number;
  readonly problems: readonly string[];
}

interface Run {
  readonly checkpoints: Map<number, Checkpoint[]>;
  /** Undefined while it isn't known, because the run's beginning was trimmed. */
  digest: string | undefined;
  step: number;
  /** Records since the last matching checkpoint. */
  open: number;
}

/** Compares a log with the lines of checkpoints. */
export async function checkCheckpoints({
  log,
  lines,
  publicKeys,
}: {
  log: Pick<Log, "read" | "bounds">;
  lines: readonly string[];
  publicKeys: readonly KeyObject[];
}): Promise<CheckpointResult> {
  const problems: string[] = [];
  const runs = new Map<string, Run>();
  const runOf = ({ node, epoch }: { node: string; epoch: number }): Run => {
    const name = `${node}.${epoch}`;
    const run = runs.get(name) ?? { checkpoints: new Map(), digest: NO_DIGEST, step: 0, open: 0 };
    runs.set(name, run);
    return run;
  };
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const checkpoint = openCheckpoint(line, publicKeys);
    if (!checkpoint) {
      problems.push(`Line ${at + 1} isn't a checkpoint that one of the public keys verifies.`);
      continue;
    }
    const { checkpoints } = runOf(checkpoint);
    checkpoints.set(checkpoint.step, [...(checkpoints.get(checkpoint.step) ?? []), checkpoint]);
  }
  if (runs.size === 0) problems.push("There is no checkpoint to compare the log with.");
  const firstPlace = (await log.bounds(PARTITION))?.first ?? 1;
  const counts = { matches: 0, records: 0, covered: 0 };
  for await (const { sequence, record } of log.read(PARTITION)) {
    const head = readStepHead(record);
    if (!head) problems.push(`Position ${sequence} of the log doesn't contain a step of a chain.`);
    else addStep(runOf(head), { head, record, isTrimmed: firstPlace > 1, problems, counts });
  }
  for (const [, { checkpoints, step }] of runs) {
    const lost = [...checkpoints.values()]
      .flat()
      .find((each) => each.step > step && each.place >= firstPlace);
    if (!lost) continue;
    problems.push(
      `Run ${lost.epoch} of "${lost.node}" ends before step ${lost.step}, which has a checkpoint of ${lost.time}.`,
    );
  }
  return { ok: problems.length === 0, ...counts, problems };
}

function addStep(
  run: Run,
  about: {
    head: StepHead;
    record: Uint8Array;
    isTrimmed: boolean;
    problems: string[];
    counts: { matches: number; records: number; covered: number };
  },
): void {
  const { head, record, isTrimmed, problems, counts } = about;
  const name = `Step ${head.step} of run ${head.epoch} of "${head.node}"`;
  const isFirst = run.step === 0;
  counts.records += head.count;
  run.open += head.count;
  if (head.step !== run.step + 1) {
    run.digest = undefined;
    if (!isFirst || !isTrimmed) problems.push(`${name} doesn't follow step ${run.step}.`);
  }
  run.step = Math.max(run.step, head.step);
  run.digest = run.digest && nextDigest(run.digest, record);
  for (const checkpoint of run.checkpoints.get(head.step) ?? []) {
    const problem = differenceOf(checkpoint, head, run.digest);
    if (problem !== undefined) problems.push(`${name}${problem}`);
    else {
      // Steps after a trimmed beginning can't be compared before the first checkpoint.
      if (run.digest !== undefined) counts.covered += run.open;
      counts.matches += 1;
      run.open = 0;
    }
    run.digest = checkpoint.digest;
  }
}

function differenceOf(
  { log, digest, time }: Checkpoint,
  head: StepHead,
  found: string | undefined,
): string | undefined {
  if (head.log !== undefined && head.log !== log) {
    return ` belongs to the log ${head.log}, but its checkpoint to ${log}.`;
  }
  if (found === undefined || found === digest) return undefined;
  return `, or one before it, differs from the checkpoint of ${time}.`;
}
