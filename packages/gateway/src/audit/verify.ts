// Reads a partition from its first step to its last and says what is not as it was written. It trusts
// nothing in there: what a step says of itself counts once its hash is right and others refer to it.

import type { Kv, Log } from "../engine/engine.ts";
import { type DecodedStep, decodeStep } from "./chain.ts";
import { ChainCheck, type ChainReport } from "./chain-check.ts";
import { type ChainHead, readHeads } from "./chain-writer.ts";
import type { Finding, Gap } from "./finding.ts";

/** What to verify. */
export interface VerifyOptions {
  log: Pick<Log, "read" | "bounds">;
  /** The bucket `audit-heads`: with it a missing end is noticed. */
  heads?: Pick<Kv, "get" | "keys">;
  /** Heads that were kept elsewhere. */
  known?: readonly ChainHead[];
  partition?: string;
  key?: Uint8Array;
}

/** What was found. */
export interface Verification {
  /** Nothing was changed, removed, moved, doubled or dropped; there may be gaps that the log itself names. */
  readonly ok: boolean;
  readonly steps: number;
  readonly records: number;
  /** Denials that some of these records count, besides those that have a record each. */
  readonly repeats: number;
  readonly chains: readonly ChainReport[];
  readonly findings: readonly Finding[];
  /** What is known to be missing: the end of a life that was killed, a trimmed start. */
  readonly gaps: readonly Gap[];
}

/** Verifies a partition. */
export async function verifyAudit({
  log,
  heads,
  known = [],
  partition = "audit",
  key,
}: VerifyOptions): Promise<Verification> {
  const findings: Finding[] = [];
  const gaps: Gap[] = [];
  const chains = new Map<string, ChainCheck>();
  const bounds = await log.bounds(partition);
  const isTrimmed = (bounds?.first ?? 1) > 1;
  const anchors = [...known];
  if (heads) for await (const head of readHeads(heads)) anchors.push(head);
  const chainOf = (node: string, epoch: number): ChainCheck => {
    const name = `${node}.${epoch}`;
    let chain = chains.get(name);
    if (!chain) {
      const own = anchors.filter((head) => head.node === node && head.epoch === epoch);
      chain = new ChainCheck({ node, epoch, anchors: own, isTrimmed, findings, gaps });
      chains.set(name, chain);
    }
    return chain;
  };

  let steps = 0;
  for await (const { sequence, record } of log.read(partition)) {
    steps += 1;
    const step = decodeStep(record, key);
    if (!step) {
      const text = `Place ${sequence} of the log holds no step of a chain.`;
      findings.push({ kind: "malformed", place: sequence, text });
      continue;
    }
    chainOf(step.head.node, step.head.epoch).add(step, sequence);
    checkFollows(step, sequence, { chains, findings, isTrimmed });
  }
  // A chain of which nothing is left is known by its head alone.
  for (const { node, epoch } of anchors) chainOf(node, epoch);
  const reports = endOf([...chains.values()]);
  const records = reports.reduce((sum, chain) => sum + chain.records, 0);
  const repeats = reports.reduce((sum, chain) => sum + chain.repeats, 0);
  return { ok: findings.length === 0, steps, records, repeats, chains: reports, findings, gaps };
}

function endOf(chains: ChainCheck[]): ChainReport[] {
  chains.sort((a, b) => a.epoch - b.epoch);
  return chains.map((chain) => {
    const isNewest = !chains.some(({ node, epoch }) => node === chain.node && epoch > chain.epoch);
    return chain.finish(isNewest);
  });
}

function checkFollows(
  { head, isWhole }: DecodedStep,
  place: number,
  {
    chains,
    findings,
    isTrimmed,
  }: { chains: Map<string, ChainCheck>; findings: Finding[]; isTrimmed: boolean },
): void {
  const { node, epoch, follows } = head;
  if (head.step !== 1 || !isWhole || !follows) return;
  const before = chains.get(`${node}.${follows.epoch}`);
  if (before?.has(follows) || (!before && isTrimmed)) return;
  const text = `Life ${epoch} of "${node}" followed step ${follows.step} of life ${follows.epoch}, which is not in the log as it was.`;
  findings.push({ kind: "missing", place, node, epoch: follows.epoch, text });
}
