/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values) {
  return quantile(values, 0.5);
}

/** The value below which that share of the others lies, interpolated. */
export function quantile(values, share) {
  if (!values.length) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const [low, high = low] = sorted.slice(below, below + 2);
  return low + (high - low) * (place - below);
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A value this many times its variant's median is another process's work, not the variant's. */
export const OUTLIER_FACTOR = 3;

/**
 * The samples in which all the variants have that measure, without those in which one of them is an
 * outlier: the whole sample goes, so that the others stay paired.
 */
export function keepSamples(samples, variants, read) {
  const complete = samples.filter((sample) =>
    variants.every((variant) => sample[variant] && Number.isFinite(read(sample[variant]))),
  );
  const limits = variants.map(
    (variant) => OUTLIER_FACTOR * median(complete.map((sample) => read(sample[variant]))),
  );
  const kept = complete.filter((sample) =>
    variants.every((variant, index) => read(sample[variant]) <= limits[index]),
  );
  return { kept, of: complete.length };
}

/**
 * How one variant compares with another: the ratio within each sample, then the median of those, so
 * that drift of the machine, which both suffer alike, cancels.
 */
export function comparePaired(samples, variant, other, read) {
  const { kept, of } = keepSamples(samples, [variant, other], read);
  const ratios = kept.map((sample) => read(sample[variant]) / read(sample[other]));
  const spread = [quantile(ratios, 0.25), quantile(ratios, 0.75)];
  return { ratio: median(ratios), spread, kept: kept.length, of };
}

const FASTEST = 0.25;

/**
 * How a short piece of work compares with a long one of a single thread. A busy machine interrupts
 * the long one nearly always and the short one nearly never, which pairing would report as a merit of
 * the short one; so here the fastest quarter of each stands for it.
 */
export function compareFastest(samples, variant, other, read) {
  const { kept, of } = keepSamples(samples, [variant, other], read);
  const [value, reference] = [variant, other].map((name) =>
    quantile(
      kept.map((sample) => read(sample[name])),
      // The median of the fastest quarter.
      FASTEST / 2,
    ),
  );
  return { ratio: value / reference, kept: kept.length, of };
}
