// Reads the log from its first to its last step and reports everything that differs from what was
// written. Nothing in it is trusted: a step counts once its hash is correct and others refer to it.

import type { Kv, Log } from "../engine/engine.ts";
import { openAnchor } from "./anchor-lines.ts";
import { type DecodedStep, decodeStep, PARTITION } from "./chain.ts";
import { ChainCheck, type ChainReport } from "./chain-check.ts";
import type { ChainKey } from "./chain-key.ts";
import type { Finding, Gap } from "./finding.ts";
import { type KeyUse, KeyUses } from "./key-uses.ts";
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
  /** All keys that made a part of the log. */
  keys?: readonly ChainKey[];
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
  /** The keys that made the steps, in the order of their first use. */
  readonly keys: readonly KeyUse[];
  readonly findings: readonly Finding[];
  /** Known gaps: the end of a killed run, or a trimmed start. */
  readonly gaps: readonly Gap[];
}

/** Verifies the log. */
export async function verifyAudit(options: VerifyOptions): Promise<Verification> {
  const { log, keys = [], isArchive = false } = options;
  const uses = new KeyUses();
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

  const logs = new LogNames();
  let steps = 0;
  let trimmedTo = 1;
  for await (const { sequence, record } of log.read(PARTITION)) {
    steps += 1;
    const step = decodeStep(record, keys);
    if (!step) {
      const text = `Position ${sequence} of the log doesn't contain a step of a chain.`;
      findings.push({ kind: "malformed", place: sequence, text });
      continue;
    }
    chainOf(step.head.node, step.head.epoch).add(step, sequence);
    uses.add(step);
    logs.check(step, sequence, findings);
    checkFollows(step, sequence, { chains, findings, isTrimmed: firstPlace > 1 });
    for (const { json } of step.lines) trimmedTo = Math.max(trimmedTo, readTrim(json));
  }
  // An archive may have started after its first segment.
  if (!isArchive) findings.push(...checkStart({ steps, firstPlace, trimmedTo }));
  for (const chain of chains.values()) await checkHead(chain, { ...options, findings });
  logs.checkHeads(anchors, findings);
  // If nothing is left of a chain, only its head shows that it existed.
  for (const { node, epoch } of anchors) chainOf(node, epoch);
  const reports = endOf([...chains.values()]);
  const records = reports.reduce((sum, chain) => sum + chain.records, 0);
  const repeats = reports.reduce((sum, chain) => sum + chain.repeats, 0);
  return {
    ...{ ok: findings.length === 0, steps, records, repeats },
    ...{ chains: reports, keys: uses.list(), findings, gaps },
  };
}

/** A head, and the log that it names. */
type NamedHead = ChainHead & { readonly log?: string | undefined };

/** All parts of a log name the same one. */
class LogNames {
  #log: string | undefined;

  check({ head, isWhole }: DecodedStep, place: number, findings: Finding[]): void {
    const { log, node, epoch } = head;
    if (log === undefined || !isWhole) return;
    this.#log ??= log;
    if (log === this.#log) return;
    const text = `Run ${epoch} of "${node}" belongs to the log ${log}, but earlier runs to ${this.#log}.`;
    findings.push({ kind: "changed", place, node, epoch, text });
  }

  checkHeads(heads: readonly NamedHead[], findings: Finding[]): void {
    for (const { log, node, epoch, step } of heads) {
      if (log === undefined || this.#log === undefined || log === this.#log) continue;
      const text = `The stored head of step ${step} of run ${epoch} of "${node}" belongs to the log ${log}, not to ${this.#log}.`;
      findings.push({ kind: "changed", node, epoch, text });
    }
  }
}

/** All heads that must be in the log. */
async function readAnchors(options: VerifyOptions, findings: Finding[]): Promise<NamedHead[]> {
  const { heads, known = [], anchor, keys = [] } = options;
  const anchors: NamedHead[] = [...known, ...(anchor ? openAnchor(anchor, keys, findings) : [])];
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

async function readHead(
  heads: Pick<Kv, "get">,
  name: string,
  { keys = [], isArchive }: VerifyOptions,
): Promise<NamedHead | undefined> {
  const entry = await heads.get(name);
  if (!entry) return undefined;
  const text = new TextDecoder().decode(entry.value);
  // The archive's index contains heads that the archiver read from the steps. It has no key to seal them.
  return isArchive ? (JSON.parse(text) as ChainHead) : openHead(text, keys);
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
