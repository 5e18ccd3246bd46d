// The measurements of each pass, and the limits of their figures.

import { compareFastest, comparePaired } from "./statistics.mjs";

/** What a pass takes of each variant → its name in the report. */
export const MEASURES = {
  script: "parse+execute",
  insert: "insert→result",
  call: "tools/call",
  partials: "partials",
};

export const CPU_MEASURES = ["cpuInsert", "cpuCall", "cpuPartials"];

/** Each: a measure of `ours`, against which variant, compared how, at most how much of it. */
export const REQUIRED = [
  { measure: "script", against: "official", compare: compareFastest, limit: 0.05 },
  { measure: "insert", against: "hand", compare: comparePaired, limit: 1.15 },
  { measure: "call", against: "hand", compare: comparePaired, limit: 1.15 },
  { measure: "call", against: "official", compare: comparePaired, limit: 0.65 },
  { measure: "partials", against: "hand", compare: comparePaired, limit: 1.15 },
];
