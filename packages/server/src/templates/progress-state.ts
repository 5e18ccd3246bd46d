import { firstText, isRecord } from "./plain-data.ts";

/** Where a piece of work stands. */
export type ProgressStatus = "notStarted" | "running" | "done" | "failed" | "cancelled";

/** One part of the work. */
export interface ProgressStep {
  label: string;
  status: ProgressStatus | "waiting";
}

/** The state of a piece of work. */
export interface ProgressState {
  status: ProgressStatus;
  /** 0 to 100; `undefined` while nobody knows. */
  percent: number | undefined;
  /** The current step. */
  step: string | undefined;
  steps: ProgressStep[];
  /** The reason for a failure. */
  error: string | undefined;
}

const WORDS: readonly (readonly [RegExp, ProgressStep["status"]])[] = [
  [/^(done|complete|success|succe|finish|ok$)/i, "done"],
  [/^(fail|error)/i, "failed"],
  [/^(cancel|abort|stopp)/i, "cancelled"],
  [/^(wait|pend|queue|todo|not)/i, "waiting"],
];
const MOST_STEPS = 100;

/** Reads the state of some work from a result, by the names that servers use for it. */
export function progressIn(data: unknown): ProgressState | undefined {
  if (!isRecord(data)) return undefined;
  const steps = stepsIn(data);
  const percent = percentIn(data) ?? percentOf(steps);
  const error = firstText(data, ["error", "errorMessage"]);
  const step = firstText(data, ["currentStep", "step", "message", "stage", "phase", "current"]);
  const said = statusIn(data);
  const isOver = said === undefined && percent !== undefined && percent >= 100;
  const status = said ?? (error !== undefined ? "failed" : isOver ? "done" : "running");
  if (said === undefined && percent === undefined && step === undefined && error === undefined) {
    return undefined;
  }
  return { status, percent: status === "done" ? 100 : percent, step, steps, error };
}

function statusIn(data: Record<string, unknown>): ProgressStatus | undefined {
  for (const key of ["done", "complete", "completed", "finished"]) {
    if (own(data, key) === true) return "done";
  }
  const word = firstText(data, ["status", "state"]);
  if (word === undefined) return undefined;
  const status = toStatus(word);
  return status === "waiting" ? "running" : status;
}

function toStatus(word: string): ProgressStep["status"] {
  return WORDS.find(([pattern]) => pattern.test(word))?.[1] ?? "running";
}

function percentIn(data: Record<string, unknown>): number | undefined {
  const percent = firstNumber(data, ["percent", "percentage", "progressPercent"]);
  if (percent !== undefined) return within(percent);
  const total = firstNumber(data, ["total", "max", "totalSteps", "of"]);
  const done = firstNumber(data, [
    "progress",
    "value",
    "current",
    "completed",
    "processed",
    "step",
  ]);
  if (done === undefined) return undefined;
  if (total !== undefined) return total > 0 ? within((100 * done) / total) : undefined;
  // Alone it may be a share or a percentage; only `progress` is ever meant as either.
  const progress = firstNumber(data, ["progress"]);
  return progress === undefined ? undefined : within(progress <= 1 ? progress * 100 : progress);
}

function percentOf(steps: readonly ProgressStep[]): number | undefined {
  if (steps.length === 0) return undefined;
  return (100 * steps.filter(({ status }) => status === "done").length) / steps.length;
}

function stepsIn(data: Record<string, unknown>): ProgressStep[] {
  const steps = own(data, "steps");
  if (!Array.isArray(steps)) return [];
  return steps.slice(0, MOST_STEPS).flatMap((step): ProgressStep[] => {
    if (typeof step === "string") return [{ label: step, status: "waiting" }];
    if (!isRecord(step)) return [];
    const label = firstText(step, ["label", "name", "title", "message"]);
    const word = firstText(step, ["status", "state"]);
    const status = word === undefined ? "waiting" : toStatus(word);
    const isDone = own(step, "done") === true || own(step, "completed") === true;
    return label === undefined ? [] : [{ label, status: isDone ? "done" : status }];
  });
}

function firstNumber(data: Record<string, unknown>, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = own(data, key);
    const number = typeof value === "string" && value.trim() ? Number(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) return number;
  }
  return undefined;
}

function within(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}

function own(data: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}
