// The measurements, and the limits of their figures.

/** Each measure → its name in the report. */
export const MEASURES = {
  cold: "first result, cold",
  warm: "first result, warm",
  call: "tools/call",
  result: "1 MB result",
  partials: "1,000 partials",
  crowd: "50 views",
  crowdCall: "call among 50",
};

/** The same measures in CPU time of the whole browser. */
export const CPU_MEASURES = {
  cpuCold: "first result, cold",
  cpuWarm: "first result, warm",
  cpuCall: "tools/call",
  cpuResult: "1 MB result",
  cpuPartials: "1,000 partials",
  cpuCrowd: "50 views",
  cpuCrowdCall: "call among 50",
};

/** Each: a measure of a variant, against which other, at most how much of it. */
export const REQUIRED = [
  { measure: "cold", variant: "ours", against: "official", limit: 0.67 },
  { measure: "cold", variant: "ours, warmed", against: "official", limit: 0.45 },
  { measure: "cold", variant: "ours, prepared", against: "official", limit: 0.22 },
  { measure: "call", variant: "ours", against: "official", limit: 0.38 },
  { measure: "call", variant: "ours", against: "hand", limit: 1.15 },
  { measure: "crowd", variant: "ours", against: "official", limit: 0.6 },
  { measure: "crowdCall", variant: "ours", against: "official", limit: 0.2 },
  { measure: "partials", variant: "ours", against: "official", limit: 0.1 },
  { measure: "result", variant: "ours", against: "official", limit: 0.5 },
];

/** Megabytes that all heaps together may have grown by after twenty results of 1 MB. */
export const HEAP = { results: 20, bytes: 1_000_000, limit: 1 };
