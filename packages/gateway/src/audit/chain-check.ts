import { type DecodedStep, NO_HASH, type StepHead, type StepName } from "./chain.ts";
import type { Finding, Gap, Range } from "./finding.ts";
import { checkLines, readGap, readRepeats } from "./line-check.ts";
import type { ChainHead } from "./sealed-head.ts";

/** How many hashes of a chain are remembered, for later references to them. */
const REMEMBERED = 256;
/** Missing steps that may still turn up. Beyond that, they count as missing and not as moved. */
const MOST_AWAITED = 10_000;

/** The findings about one chain. */
export interface ChainReport {
  readonly node: string;
  readonly epoch: number;
  readonly steps: number;
  readonly records: number;
  /** Denials that these records count, besides those with their own record. */
  readonly repeats: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** `open` if it is the newest chain of its node, which may be running. */
  readonly ended: "in-order" | "killed" | "open" | "unknown";
  readonly head: StepName | undefined;
}

export interface ChainCheckOptions {
  node: string;
  epoch: number;
  /** Heads that must be in the log. */
  anchors: readonly ChainHead[];
  /** The first position in the log. Above 1 if the log was trimmed. */
  firstPlace: number;
  findings: Finding[];
  gaps: Gap[];
}

/** Checks one chain. */
export class ChainCheck {
  readonly node: string;
  readonly epoch: number;
  readonly #options: ChainCheckOptions;
  readonly #hashes = new Map<number, string>();
  /** Hashes of the stored heads, by step. */
  readonly #kept = new Map<number, Set<string>>();
  /** Steps that were missing when their position was read. */
  readonly #awaited = new Map<number, Finding>();
  #nextStep = 1;
  #nextRecord = 1;
  #prev: string | undefined = NO_HASH;
  #steps = 0;
  #records = 0;
  #repeats = 0;
  #from: string | undefined;
  #last: StepHead | undefined;
  #hasEnd = false;
  /** Keys that were reported as unknown. */
  readonly #unknownKeys = new Set<string>();

  constructor(options: ChainCheckOptions) {
    this.#options = options;
    this.node = options.node;
    this.epoch = options.epoch;
    for (const { step, hash } of options.anchors) {
      this.#kept.set(step, (this.#kept.get(step) ?? new Set()).add(hash));
    }
  }

  get steps(): number {
    return this.#steps;
  }

  /** Whether a step with that hash was read. A step too old to be remembered counts as read. */
  has({ step, hash }: StepName): boolean {
    const known = this.#hashes.get(step);
    return known === undefined ? step < this.#nextStep - REMEMBERED : known === hash;
  }

  add(step: DecodedStep, place: number): void {
    const { head } = step;
    if (head.step < this.#nextStep) {
      this.#addLate(step, place);
      return;
    }
    if (head.step > this.#nextStep) this.#skip(head, place);
    if (this.#hasEnd)
      this.#find("moved", place, { text: `${this.#name(head)} comes after the last step.` });
    this.#checkBytes(step, place);
    this.#checkLink(head, place);
    this.#nextStep = head.step + 1;
    this.#nextRecord = head.first + head.count;
    this.#hasEnd = head.end === true;
    this.#last = head;
    this.#count(step, place);
  }

  /** Reports the state of the chain's end. */
  finish(isNewest: boolean): ChainReport {
    this.#checkAnchors();
    const ended = this.#ending(isNewest);
    if (ended === "killed") {
      const after = this.#nextRecord - 1;
      const text = `Run ${this.epoch} of "${this.node}" ended without a last step. Records after ${after} were not stored.`;
      this.#gap("killed", { from: after, to: after }, text);
    }
    const { node, epoch } = this;
    const last = this.#last;
    return {
      ...{ node, epoch, ended, steps: this.#steps, records: this.#records, repeats: this.#repeats },
      from: this.#from,
      to: last?.time,
      head: last && { epoch, step: last.step, hash: this.#hashes.get(last.step) ?? "" },
    };
  }

  #ending(isNewest: boolean): ChainReport["ended"] {
    if (this.#hasEnd) return "in-order";
    if (!this.#last) return "unknown";
    return isNewest ? "open" : "killed";
  }

  #addLate(step: DecodedStep, place: number): void {
    const { head } = step;
    const awaited = this.#awaited.get(head.step);
    if (awaited) {
      this.#awaited.delete(head.step);
      const { findings } = this.#options;
      // The step isn't missing but at the wrong position.
      if (![...this.#awaited.values()].includes(awaited)) {
        findings.splice(findings.indexOf(awaited), 1);
      }
      this.#find("moved", place, { text: `${this.#name(head)} is at the wrong position.` });
      this.#checkBytes(step, place);
      this.#count(step, place);
      return;
    }
    const isSame = this.#hashes.get(head.step) === step.hash || !this.#hashes.has(head.step);
    const text = isSame
      ? `${this.#name(head)} occurs more than once.`
      : `${this.#name(head)} occurs again with different contents.`;
    this.#find(isSame ? "doubled" : "changed", place, { text });
  }

  // A gap before this step.
  #skip(head: StepHead, place: number): void {
    const steps = { from: this.#nextStep, to: head.step - 1 };
    const records = { from: this.#nextRecord, to: head.first - 1 };
    this.#prev = undefined;
    if (this.#steps === 0 && this.#options.firstPlace > 1) {
      const text = `Steps 1 to ${steps.to} of run ${this.epoch} of "${this.node}" were trimmed.`;
      this.#gap("trimmed", records, text);
      return;
    }
    const text = `Run ${this.epoch} of "${this.node}" lacks ${rangeText("step", steps)}, with ${rangeText("record", records)}.`;
    const finding = this.#find("missing", place, { steps, records, text });
    for (let step = steps.from; step <= steps.to && this.#awaited.size < MOST_AWAITED; step++) {
      this.#awaited.set(step, finding);
    }
  }

  #checkBytes(step: DecodedStep, place: number): void {
    const { head, lines, isWhole, hash } = step;
    this.#hashes.set(head.step, hash);
    if (this.#hashes.size > REMEMBERED) {
      this.#hashes.delete(this.#hashes.keys().next().value as number);
    }
    for (const problem of checkLines(head, lines)) {
      const text = `${problem.text} (${this.#name(head)})`;
      this.#find(problem.kind, place, { ...problem, text });
    }
    if (!step.isKeyKnown) this.#reportKey(head, place, `${step.key}`);
    else if (!isWhole) {
      const records = { from: head.first, to: head.first + head.count - 1 };
      const text = `${this.#name(head)} was changed: its hash differs.`;
      this.#find("changed", place, { records, text });
    }
    for (const kept of this.#kept.get(head.step) ?? []) {
      if (kept === hash) continue;
      const text = `${this.#name(head)} differs from the step whose hash was stored.`;
      this.#find("changed", place, { text });
    }
  }

  // Once for each key: a lost key would be a finding for every step of the run.
  #reportKey(head: StepHead, place: number, key: string): void {
    if (this.#unknownKeys.has(key)) return;
    this.#unknownKeys.add(key);
    const text = `${this.#name(head)} and its followers were made with the key ${key}, which isn't in audit.key, so they can't be verified. Add that key as another line of the file.`;
    this.#find("changed", place, { text });
  }

  #checkLink(head: StepHead, place: number): void {
    const before = this.#prev;
    this.#prev = this.#hashes.get(head.step);
    if (before !== undefined && head.prev !== before) {
      const text = `${this.#name(head)} doesn't match the step before it: one of them was changed.`;
      this.#find("changed", place, { text });
    }
    if (before !== undefined && head.first !== this.#nextRecord) {
      const records = { from: this.#nextRecord, to: head.first - 1 };
      const text = `${this.#name(head)} lacks ${rangeText("record", records)} before it.`;
      this.#find("missing", place, { records, text });
    }
  }

  #checkAnchors(): void {
    const last = this.#nextStep - 1;
    const { anchors, firstPlace } = this.#options;
    // A completely trimmed chain was before the first remaining position.
    const lost = anchors.filter(({ step, place }) => step > last && place >= firstPlace);
    if (lost.length === 0) return;
    const most = (to: number, value: number): number => Math.max(to, value);
    const steps = { from: last + 1, to: lost.map(({ step }) => step).reduce(most, 0) };
    const records = {
      from: this.#nextRecord,
      to: lost.map(({ record }) => record).reduce(most, 0),
    };
    const text = `Run ${this.epoch} of "${this.node}" lacks its end, ${rangeText("step", steps)}, with ${rangeText("record", records)}.`;
    this.#find("missing", undefined, { steps, records, text });
  }

  #count({ head, lines }: DecodedStep, place: number): void {
    this.#steps += 1;
    this.#records += head.count;
    this.#from ??= head.time;
    for (const { json } of lines) {
      this.#repeats += readRepeats(json);
      const gap = readGap(json);
      if (!gap) continue;
      const { sequence, dropped, from, to } = gap;
      const text = `${dropped} records were dropped from ${from} to ${to} because they couldn't be stored.`;
      this.#find("dropped", place, { records: { from: sequence, to: sequence }, text });
    }
  }

  #find(
    kind: Finding["kind"],
    place: number | undefined,
    about: Pick<Finding, "steps" | "records" | "text">,
  ): Finding {
    const { node, epoch } = this;
    const finding: Finding = { kind, node, epoch, ...about, ...(place !== undefined && { place }) };
    this.#options.findings.push(finding);
    return finding;
  }

  #gap(kind: Gap["kind"], records: Range, text: string): void {
    this.#options.gaps.push({ kind, node: this.node, epoch: this.epoch, records, text });
  }

  #name({ step }: StepHead): string {
    return `Step ${step} of run ${this.epoch} of "${this.node}"`;
  }
}

function rangeText(what: string, { from, to }: Range): string {
  if (to < from) return `no ${what}`;
  return from === to ? `${what} ${from}` : `${what}s ${from} to ${to}`;
}
