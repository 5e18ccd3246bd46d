import type { StepHead, StepLine } from "./chain.ts";
import type { Finding, Range } from "./finding.ts";

const GAP = /^\{"sequence":\d{1,16},"time":"[^"]{24}","event":"gap",/;
const DENIALS = /^\{"sequence":\d{1,16},"time":"[^"]{24}","event":"denials",/;
const OPERATOR = /^\{"sequence":\d{1,16},"time":"[^"]{24}","event":"operator",/;

type LineProblem = Pick<Finding, "kind" | "text"> & { records: Range };

/** What is wrong with the lines of a step: which record was changed, moved, doubled or taken away. */
export function* checkLines(head: StepHead, lines: readonly StepLine[]): Generator<LineProblem> {
  const last = head.first + head.count - 1;
  const seen = new Set<number>();
  let expected = head.first;
  for (const line of lines) {
    const sequence = sequenceOf(line);
    if (sequence === undefined || sequence < head.first || sequence > last) {
      yield problem("changed", expected, `Record ${expected} was changed.`);
      seen.add(expected);
      expected += 1;
      continue;
    }
    if (seen.has(sequence))
      yield problem("doubled", sequence, `Record ${sequence} is there twice.`);
    else if (sequence < expected) {
      yield problem("moved", sequence, `Record ${sequence} is not in its place.`);
    }
    seen.add(sequence);
    expected = Math.max(expected, sequence + 1);
  }
  for (let sequence = head.first; sequence <= last; sequence++) {
    if (!seen.has(sequence)) yield problem("missing", sequence, `Record ${sequence} is missing.`);
  }
}

/** The record by which the log says that it dropped others; arguments of a call may look like one. */
export function readGap(
  json: string,
): { sequence: number; dropped: number; from: string; to: string } | undefined {
  if (!GAP.test(json)) return undefined;
  try {
    const { sequence, detail } = JSON.parse(json);
    return { sequence, ...detail };
  } catch {
    return undefined;
  }
}

/** How many denials a record counts; 0 for every other record. */
export function readRepeats(json: string): number {
  if (!DENIALS.test(json)) return 0;
  try {
    const { repeats } = JSON.parse(json);
    return Number.isSafeInteger(repeats?.count) ? repeats.count : 0;
  } catch {
    return 0;
  }
}

/** The first place that the gateway kept when it trimmed the log; 1 for every other record. */
export function readTrim(json: string): number {
  if (!OPERATOR.test(json)) return 1;
  try {
    const { detail } = JSON.parse(json);
    return detail?.action === "trim" && Number.isSafeInteger(detail.first) ? detail.first : 1;
  } catch {
    return 1;
  }
}

function problem(kind: Finding["kind"], sequence: number, text: string): LineProblem {
  return { kind, records: { from: sequence, to: sequence }, text };
}

function sequenceOf({ isWhole, json }: StepLine): number | undefined {
  if (!isWhole) return undefined;
  // The first member, always: no need to parse what may be large.
  const found = /^\{"sequence":(\d{1,16})[,}]/.exec(json)?.[1];
  return found === undefined ? undefined : Number(found);
}
