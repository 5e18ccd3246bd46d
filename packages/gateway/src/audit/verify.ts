// Reads the log from its first to its last step and reports everything that differs from what was
// written. Nothing in it is trusted: a step counts once its hash is correct and others refer to it.

import type { Kv, Log } from "../engine/engine.ts";
import { type DecodedStep, decodeStep, PARTITION } from "./chain.ts";
import { ChainCheck, type ChainReport } from "./chain-check.ts";
import type { Finding, Gap } from "./finding.ts";
import { readTrim } from "./line-check.ts";
import { type ChainHead, openHead } from "./sealed-head.ts";

/** The options of `verifyAudit`. */
export interface VerifyOptions {
  log: Pick<Log, "read" | "bounds">;
  /** The bucket `audit-heads`, by which a missing end is detected. Each chain must have its head there. */
  heads?: Pick<Kv, "get" | "keys">;
  /** Lines from `Audit.anchor` that were stored elsewhere. */
  anchor?: readonly string[];
  /** Heads that are known for certain. */
  known?: readonly ChainHead[];
  key?: Uint8Array;
  /** For an archive: its index has no head of its newest file, and its oldest files may be stored elsewhere. */
  isArchive?: boolean;
}

/** The result of a verification. */
export interface Verification {
  /**
   * Nothing was changed, removed, moved, duplicated or dropped. There may be gaps that the log itself
   * reports.
   */
  readonly ok: boolean;
  readonly steps: number;
  readonly records: number;
  /** Denials that some of these records count, besides those with their own record. */
  readonly repeats: number;
  readonly chains: readonly ChainReport[];
  readonly findings: readonly Finding[];
  /** Known gaps: the end of a killed run, or a trimmed start. */
  readonly gaps: readonly Gap[];
}

/** Verifies the log. */
export async function verifyAudit(options: VerifyOptions): Promise<Verification> {
  const { log, key, isArchive = false } = options;
  const findings: Finding[] = [];
  const gaps: Gap[] = [];
  const chains = new Map<string, ChainCheck>();
  const firstPlace = (await log.bounds(PARTITION))?.first ?? 1;
  const anchors = await readAnchors(options, findings);
  const chainOf = (node: string, epoch: number): ChainCheck => {
    const name = `${node}.${epoch}`;
    let chain = chains.get(name);
    if (!chain) {
      const own = anchors.filter((head) => head.node === node && head.epoch === epoch);
      chain = new ChainCheck({ node, epoch, anchors: own, firstPlace, findings, gaps });
      chains.set(name, chain);
    }
    return chain;
  };

  let steps = 0;
  let trimmedTo = 1;
  for await (const { sequence, record } of log.read(PARTITION)) {
    steps += 1;
    const step = decodeStep(record, key);
    if (!step) {
      const text = `Position ${sequence} of the log doesn't contain a step of a chain.`;
      findings.push({ kind: "malformed", place: sequence, text });
      continue;
    }
    chainOf(step.head.node, step.head.epoch).add(step, sequence);
    checkFollows(step, sequence, { chains, findings, isTrimmed: firstPlace > 1 });
    for (const { json } of step.lines) trimmedTo = Math.max(trimmedTo, readTrim(json));
  }
  // An archive may have started after its first segment.
  if (!isArchive) findings.push(...checkStart({ steps, firstPlace, trimmedTo }));
  for (const chain of chains.values()) await checkHead(chain, { ...options, findings });
  // If nothing is left of a chain, only its head shows that it existed.
  for (const { node, epoch } of anchors) chainOf(node, epoch);
  const reports = endOf([...chains.values()]);
  const records = reports.reduce((sum, chain) => sum + chain.records, 0);
  const repeats = reports.reduce((sum, chain) => sum + chain.repeats, 0);
  return { ok: findings.length === 0, steps, records, repeats, chains: reports, findings, gaps };
}

/** All heads that must be in the log. */
async function readAnchors(options: VerifyOptions, findings: Finding[]): Promise<ChainHead[]> {
  const { heads, known = [] } = options;
  const anchors = [...known, ...openAnchor(options, findings)];
  if (!heads) return anchors;
  for await (const name of heads.keys()) {
    const head = await readHead(heads, name, options);
    if (head) anchors.push(head);
  }
  return anchors;
}

function* checkStart(about: {
  steps: number;
  firstPlace: number;
  trimmedTo: number;
}): Generator<Finding> {
  const { steps, firstPlace, trimmedTo } = about;
  if (steps === 0) {
    const text = "The log is empty, but every gateway that started has written to it.";
    yield { kind: "missing", text };
  } else if (firstPlace > trimmedTo) {
    const text = `Positions 1 to ${firstPlace - 1} of the log are missing, and no record shows that the gateway trimmed them.`;
    yield { kind: "missing", text };
  }
}

function openAnchor({ anchor, key }: VerifyOptions, findings: Finding[]): ChainHead[] {
  if (!anchor) return [];
  const heads: ChainHead[] = [];
  for (const [at, line] of anchor.entries()) {
    if (line.trim() === "") continue;
    const head = openHead(line, key);
    if (head) heads.push(head);
    else {
      const text = `Line ${at + 1} of the anchor was not written with the key of this log: it was changed, or belongs to another log.`;
      findings.push({ kind: "changed", text });
    }
  }
  if (heads.length === 0) {
    findings.push({ kind: "missing", text: "The anchor doesn't contain a head of this log." });
  }
  return heads;
}

async function readHead(
  heads: Pick<Kv, "get">,
  name: string,
  { key, isArchive }: VerifyOptions,
): Promise<ChainHead | undefined> {
  const entry = await heads.get(name);
  if (!entry) return undefined;
  const text = new TextDecoder().decode(entry.value);
  // The archive's index contains heads that the archiver read from the steps. It has no key to seal them.
  return isArchive ? (JSON.parse(text) as ChainHead) : openHead(text, key);
}

/** Without its head, a chain may lack its end unnoticed. */
async function checkHead(
  { node, epoch, steps }: ChainCheck,
  { findings, ...options }: VerifyOptions & { findings: Finding[] },
): Promise<void> {
  const { heads, isArchive } = options;
  if (!heads || isArchive || steps === 0) return;
  // Read again, because a chain may have started after the heads were read.
  const head = await readHead(heads, `${node}.${epoch}`, options);
  if (head?.node === node && head.epoch === epoch) return;
  const text = `Run ${epoch} of "${node}" has no valid head in audit-heads: it was removed or changed, so records may be missing from the end.`;
  findings.push({ kind: "missing", node, epoch, text });
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
  const text = `Run ${epoch} of "${node}" followed step ${follows.step} of run ${follows.epoch}, which is missing from the log or was changed.`;
  findings.push({ kind: "missing", place, node, epoch: follows.epoch, text });
}
