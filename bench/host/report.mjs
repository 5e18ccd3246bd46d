import { toDecimal, toTable } from "../table.mjs";
import { comparePaired, keepSamples, mean, median, OUTLIER_FACTOR } from "../view/statistics.mjs";
import { CPU_MEASURES, HEAP, MEASURES, REQUIRED } from "./figures.mjs";
import { VARIANTS } from "./variants.mjs";

// Above this share of the machine, what others do shows in the ratios too.
const BUSY = 0.25;

/** The table of wall times and the one of CPU. */
export function toTables(samples) {
  const wall = toMeasureTable("medians, ms", MEASURES, samples, median);
  // Means: the kernel counts in steps of 10 ms, which a median of short spans would only repeat.
  const cpu = toMeasureTable("CPU, mean ms", CPU_MEASURES, samples, mean);
  return `${wall}\n\n${cpu}`;
}

function toMeasureTable(title, measures, samples, middle) {
  const rows = Object.keys(VARIANTS).map((variant) => {
    const cells = Object.keys(measures).map((name) => {
      const read = (times) => times[name];
      const kept = keepSamples(samples, [variant], read).kept;
      const value = middle(kept.map((sample) => read(sample[variant])));
      return toDecimal(value, value < 10 ? 2 : 0);
    });
    return [variant, ...cells];
  });
  return toTable([title, ...Object.values(measures)], rows);
}

/** How to read the figures. */
export function toNotes({ plan, otherLoad }) {
  return [
    `Cold: ${plan.cold} new browsers a variant; 50 views: ${plan.crowd}; the rest in one browser whose processes run.`,
    "Ratios: median of the ratios within each sample, and their quartiles; (CPU) the ratio of the means.",
    `Left out of a measure: samples in which a variant took over ${OUTLIER_FACTOR} × its median.`,
    `Other processes used ${toDecimal(otherLoad * 100, 0)} % of the machine during the run${otherLoad > BUSY ? ": too much for exact figures." : "."}`,
  ].join("\n");
}

/** The required figures, each with its verdict. */
export function judge(samples, heaps) {
  return [...REQUIRED.map((required) => judgeRatio(samples, required)), judgeHeap(heaps)];
}

function judgeRatio(samples, { measure, variant, against, limit }) {
  const found = comparePaired(samples, variant, against, (times) => times[measure]);
  const { ratio, spread, kept, of } = found;
  const range = spread.map((value) => toDecimal(value)).join("–");
  const cpu = toDecimal(compareCpu(samples, { measure, variant, against }));
  const words = `${toDecimal(ratio)} (${range}, ${kept} of ${of} samples; CPU ${cpu})`;
  // Written so that a ratio that isn't a number fails.
  return toVerdict(`${MEASURES[measure]}: ${variant} ÷ ${against}`, words, limit, ratio <= limit);
}

/** The ratio of all the CPU time that both used in the samples that have both. */
function compareCpu(samples, { measure, variant, against }) {
  const name = `cpu${measure[0].toUpperCase()}${measure.slice(1)}`;
  const { kept } = keepSamples(samples, [variant, against], (times) => times[name]);
  const of = (which) => mean(kept.map((sample) => sample[which][name]));
  return of(variant) / of(against);
}

function judgeHeap(heaps) {
  const words = Object.entries(heaps).map(([name, grown]) => `${name} ${toDecimal(grown)}`);
  const title = `heap after ${HEAP.results} × 1 MB, MB`;
  return toVerdict(title, words.join(", "), HEAP.limit, heaps.ours <= HEAP.limit);
}

function toVerdict(title, words, limit, ok) {
  const line = [title.padEnd(48), words.padEnd(52), `≤ ${limit}`.padEnd(6), ok ? "ok" : "FAIL"];
  return { ok, line: line.join("  ") };
}
