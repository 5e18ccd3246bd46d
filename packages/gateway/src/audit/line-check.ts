import type { StepHead, StepLine } from "./chain.ts";
import type { Finding, Range } from "./finding.ts";

type LineProblem = Pick<Finding, "kind" | "text"> & { records: Range };

/** Finds the records in a step that were changed, moved, duplicated or removed. */
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
    if (seen.has(sequence)) yield problem("doubled", sequence, `Record ${sequence} occurs twice.`);
    else if (sequence < expected) {
      yield problem("moved", sequence, `Record ${sequence} is at the wrong position.`);
    }
    seen.add(sequence);
    expected = Math.max(expected, sequence + 1);
  }
  for (let sequence = head.first; sequence <= last; sequence++) {
    if (!seen.has(sequence)) yield problem("missing", sequence, `Record ${sequence} is missing.`);
  }
}

/** The record in which the log reports dropped records. */
export function readGap(
  json: string,
): { sequence: number; dropped: number; from: string; to: string } | undefined {
  const { sequence, detail } = readEvent(json, "gap");
  return sequence === undefined ? undefined : { sequence, ...detail };
}

/** How many denials a record counts; 0 for every other record. */
export function readRepeats(json: string): number {
  const { repeats } = readEvent(json, "denials");
  return Number.isSafeInteger(repeats?.count) ? repeats.count : 0;
}

/** The first position that was kept when the gateway trimmed the log. 1 for every other record. */
export function readTrim(json: string): number {
  const { detail } = readEvent(json, "operator");
  return detail?.action === "trim" && Number.isSafeInteger(detail.first) ? detail.first : 1;
}

/** A record of an event; empty for every other. The arguments of a call may imitate one. */
// biome-ignore lint/suspicious/noExplicitAny: the log isn't trusted, so its readers check each member.
function readEvent(json: string, event: string): Record<string, any> {
  const [, found] = /^\{"sequence":\d{1,16},"time":"[^"]{24}","event":"(\w+)",/.exec(json) ?? [];
  if (found !== event) return {};
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function problem(kind: Finding["kind"], sequence: number, text: string): LineProblem {
  return { kind, records: { from: sequence, to: sequence }, text };
}

function sequenceOf({ isWhole, json }: StepLine): number | undefined {
  if (!isWhole) return undefined;
  // Always the first member, so the rest, which may be large, isn't parsed.
  const found = /^\{"sequence":(\d{1,16})[,}]/.exec(json)?.[1];
  return found === undefined ? undefined : Number(found);
}
