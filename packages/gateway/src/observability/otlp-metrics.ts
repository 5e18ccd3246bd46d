// The metrics of /metrics for an OpenTelemetry collector that isn't scraped but sent to.

import type { MetricObjectWithValues, MetricValue } from "prom-client";
import { attributesOf, nanoseconds, type OtlpOptions, postOtlp, resourceOf } from "./otlp-post.ts";

type Metric = MetricObjectWithValues<MetricValue<string>>;

/** How to send metrics. */
export interface OtlpMetricsOptions extends OtlpOptions {
  seconds: number;
  read(): Promise<readonly Metric[]>;
  /** Called with the reason if metrics can't be sent, and with undefined when they can again. */
  onProblem(error: Error | undefined): void;
}

const CUMULATIVE = 2;

/** Sends the metrics regularly. Returns a function that sends them once more and ends it. */
export function sendOtlpMetrics(options: OtlpMetricsOptions): () => Promise<void> {
  const start = nanoseconds(Date.now());
  let isFailing = false;
  const send = async (): Promise<void> => {
    const metrics = (await options.read()).flatMap((metric) => toOtlp(metric, start));
    const scopeMetrics = [{ scope: { name: "vitrine-gateway" }, metrics }];
    const body = { resourceMetrics: [{ resource: resourceOf(options), scopeMetrics }] };
    const problem = await postOtlp(options, "metrics", body).then(
      () => undefined,
      (error: Error) => error,
    );
    if ((problem !== undefined) !== isFailing) options.onProblem(problem);
    isFailing = problem !== undefined;
  };
  const timer = setInterval(() => void send(), options.seconds * 1000).unref();
  return async () => {
    clearInterval(timer);
    await send();
  };
}

function toOtlp(metric: Metric, start: string): object[] {
  const { name, help: description, values } = metric;
  const times = { startTimeUnixNano: start, timeUnixNano: nanoseconds(Date.now()) };
  const points = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, asDouble: value, attributes: attributesOf(labels) }));
  const temporality = { aggregationTemporality: CUMULATIVE };
  switch (`${metric.type}`) {
    case "counter":
      return [
        { name, description, sum: { dataPoints: points, isMonotonic: true, ...temporality } },
      ];
    case "gauge":
      return [{ name, description, gauge: { dataPoints: points } }];
    case "histogram":
      return [
        { name, description, histogram: { dataPoints: histograms(metric, times), ...temporality } },
      ];
    default:
      return [];
  }
}

/** Prometheus counts into each bucket what is at most its bound; OTLP counts each value once. */
function histograms({ values }: Metric, times: object): object[] {
  const byLabels = Map.groupBy(values, ({ labels }) => {
    const { le: _bound, ...rest } = labels as Record<string, string | number>;
    return JSON.stringify(rest);
  });
  return [...byLabels].map(([labels, own]) => {
    const named = (end: string): MetricValue<string>[] =>
      own.filter((value) => (value as { metricName?: string }).metricName?.endsWith(end));
    const buckets = named("_bucket");
    const sums = buckets.map(({ value }) => value);
    const bounds = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
    return {
      ...times,
      attributes: attributesOf(JSON.parse(labels)),
      count: `${named("_count")[0]?.value ?? 0}`,
      sum: named("_sum")[0]?.value ?? 0,
      explicitBounds: bounds,
      bucketCounts: sums.map((sum, at) => `${sum - (sums[at - 1] ?? 0)}`),
    };
  });
}
