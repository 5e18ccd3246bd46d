// The runs of a view in the browser: the normal one, and each situation that hosts put views into.

import type { Code } from "../codes.ts";
import type { Json } from "../json.ts";
import type { RenderPlan } from "./plan.ts";

/** One step after the handshake. */
export type Step =
  | { do: "tell"; data: "input" | "result" | "cancelled" | "error" | "empty" }
  | { do: "send"; data: "result" | "empty" }
  | { do: "wait"; ms: number }
  | { do: "look" };

/** One way of showing a view. */
export interface Run {
  name: RunName;
  /** The situation, for people. */
  title: string;
  width: number;
  scheme: "light" | "dark";
  locale: string;
  hasStyles: boolean;
  offersTools: boolean;
  steps: readonly Step[];
  /** Checked by axe. */
  isAudited: boolean;
  /** The code of a finding if the view fails only here. */
  code?: Code;
}

export type RunName =
  | "normal"
  | "dark"
  | "narrow"
  | "rtl"
  | "late"
  | "duplicate"
  | "empty"
  | "error"
  | "cancelled"
  | "no-styles"
  | "no-tools"
  /** A story of the author. */
  | `story-${string}`;

const INPUT: Step = { do: "tell", data: "input" };
const RESULT: Step = { do: "tell", data: "result" };

const PLAIN: Omit<Run, "name" | "title"> = {
  width: 800,
  scheme: "light",
  locale: "en-US",
  hasStyles: true,
  offersTools: true,
  steps: [INPUT, RESULT],
  isAudited: false,
};

/** All runs; the first decides whether the others mean anything. */
export const RUNS: readonly Run[] = [
  { ...PLAIN, name: "normal", title: "the normal run", isAudited: true },
  { ...PLAIN, name: "dark", title: "dark", scheme: "dark", isAudited: true, code: "fault-dark" },
  { ...PLAIN, name: "narrow", title: "360 px wide", width: 360, code: "fault-narrow" },
  { ...PLAIN, name: "rtl", title: "right-to-left (ar-EG)", locale: "ar-EG", code: "fault-rtl" },
  {
    ...PLAIN,
    name: "late",
    title: "a late result",
    steps: [INPUT, { do: "wait", ms: 1_200 }, { do: "look" }, RESULT],
    code: "fault-late",
  },
  {
    ...PLAIN,
    name: "empty",
    title: "an empty result",
    steps: [INPUT, { do: "tell", data: "empty" }],
    code: "fault-empty",
  },
  {
    ...PLAIN,
    name: "duplicate",
    title: "a result that is repeated, and then empty",
    steps: [
      INPUT,
      RESULT,
      { do: "wait", ms: 250 },
      { do: "send", data: "result" },
      { do: "wait", ms: 250 },
      { do: "send", data: "empty" },
    ],
    code: "fault-duplicate",
  },
  {
    ...PLAIN,
    name: "error",
    title: "a failed call",
    steps: [INPUT, { do: "tell", data: "error" }],
    code: "fault-error",
  },
  {
    ...PLAIN,
    name: "cancelled",
    title: "a cancelled call",
    steps: [INPUT, { do: "tell", data: "cancelled" }],
    code: "fault-cancelled",
  },
  {
    ...PLAIN,
    name: "no-styles",
    title: "no styles and no theme",
    hasStyles: false,
    code: "fault-no-styles",
  },
  {
    ...PLAIN,
    name: "no-tools",
    title: "no serverTools",
    offersTools: false,
    code: "fault-no-tools",
  },
];

/** The text of a failed call. */
export const FAILURE = "The service is not available";

/** The data of a view's tool call. */
export interface CallData {
  tool: Json;
  input: Json;
  result: Json;
  /** The tool wasn't called: the result is a sample. */
  isMadeUp?: boolean;
  /** The tool was called with sample arguments. */
  isGuessed?: boolean;
}

/** The steps of a run: those right after the handshake, and those that follow. */
export function stepsOf({ steps }: Run): { first: readonly Step[]; later: readonly Step[] } {
  const at = steps.findIndex((step) => step.do !== "tell");
  return at < 0
    ? { first: steps, later: [] }
    : { first: steps.slice(0, at), later: steps.slice(at) };
}

/** The plan of a run, as the page takes it. */
export function planOf(run: Run, call: CallData, times: RenderPlan["times"]): RenderPlan {
  return {
    tool: call.tool,
    ...(run.hasStyles && { theme: run.scheme }),
    context: { locale: run.locale, timeZone: "UTC", platform: "web" },
    offersTools: run.offersTools,
    first: stepsOf(run).first.map((step) => dataOf(step, call)),
    times,
  };
}

/** The data of a step, as the page takes it. */
export function dataOf(step: Step, { input, result }: CallData): Json {
  if (step.do === "wait" || step.do === "look") return {};
  switch (step.data) {
    case "input":
      return { input };
    case "result":
      return { result };
    case "empty":
      return { result: { content: [] } };
    case "error":
      return {
        result: { isError: true, content: [{ type: "text", text: `${FAILURE}.` }] },
      };
    case "cancelled":
      return { cancelled: "stopped by the user" };
  }
}
