import { toDecimal, toTable } from "../table.mjs";
import { CPU_MEASURES, MEASURES, REQUIRED } from "./figures.mjs";
import { VARIANTS } from "./rounds.mjs";
import { keepSamples, mean, median, OUTLIER_FACTOR } from "./statistics.mjs";

const HEADS = [
  "medians, ms",
  ...Object.values(MEASURES),
  "CPU: insert",
  "call",
  "partials",
  "insertions",
];

// Above this share of the machine, what others do shows in the ratios too.
const BUSY = 0.25;

/** The table of all variants. */
export function toVariantTable(samples) {
  return toTable(
    HEADS,
    Object.keys(VARIANTS).map((variant) => toVariantRow(samples, variant)),
  );
}

function toVariantRow(samples, variant) {
  const pick = (read) =>
    keepSamples(samples, [variant], read).kept.map((sample) => read(sample[variant]));
  const medians = Object.keys(MEASURES).map((name) => median(pick((times) => times[name])));
  // Means: the kernel counts in steps of 10 ms, which a median of short spans would only repeat.
  const cpu = CPU_MEASURES.map((name) => mean(pick((times) => times[name])));
  return [
    variant,
    ...[...medians, ...cpu].map((value) => toDecimal(value, value < 10 ? 3 : 1)),
    String(pick((times) => times.insert).length),
  ];
}

/** How to read the figures, and how samples were left out. */
export function toNotes({ calls, otherLoad }) {
  return [
    `tools/call: one of ${calls} in sequence a round; partials: 1,000 growing to 50 KB; both in slices by turns.`,
    "CPU: of all browser processes, mean. parse+execute: less what an empty script takes.",
    "Ratios: median of the ratios within each sample, and their quartiles; parse+execute: of the",
    "fastest quarter of each, because a busy machine stretches the long script only.",
    `Left out of a measure: samples in which a variant took over ${OUTLIER_FACTOR} × its median.`,
    `Other processes used ${toDecimal(otherLoad * 100, 0)} % of the machine during the run${otherLoad > BUSY ? ": too much for exact figures." : "."}`,
  ].join("\n");
}

/** The required figures, each with its verdict. */
export function judge(samples) {
  return REQUIRED.map(({ measure, against, compare, limit }) => {
    const found = compare(samples, "ours", against, (times) => times[measure]);
    // Written so that a ratio that isn't a number fails.
    const ok = found.ratio <= limit;
    const line = [
      `${MEASURES[measure]} ours ÷ ${against}`.padEnd(30),
      describe(found, limit < 0.1 ? 3 : 2).padEnd(40),
      `≤ ${limit}`.padEnd(6),
      ok ? "ok" : "FAIL",
    ].join("  ");
    return { ok, line };
  });
}

function describe({ ratio, spread, kept, of }, decimals) {
  const range = spread?.map((value) => toDecimal(value, decimals)).join("–") ?? "fastest";
  return `${toDecimal(ratio, decimals)} (${range}, ${kept} of ${of} samples)`;
}
