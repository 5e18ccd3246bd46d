import { Counter, Gauge, type Registry } from "prom-client";

export type MetricLabels = Readonly<Record<string, string>>;
type Values = readonly (readonly [labels: MetricLabels, value: number])[];

/** Takes metrics whose values are read at each scrape. */
export interface MetricSink {
  gauge(name: string, help: string, read: () => number | Values): void;
  /** For a value that is counted elsewhere and only grows. */
  counter(name: string, help: string, read: () => number | Values): void;
}

/** Creates a sink that writes to Prometheus registries. */
export function createMetricSink(registers: Registry[]): MetricSink {
  const valuesOf = (value: number | Values): Values =>
    typeof value === "number" ? [[{}, value]] : value;
  const labelNames = (read: () => number | Values): string[] =>
    Object.keys(valuesOf(read())[0]?.[0] ?? {});
  return {
    gauge: (name, help, read) => {
      new Gauge({
        ...{ name, help, registers, labelNames: labelNames(read) },
        collect() {
          for (const [labels, value] of valuesOf(read())) this.set(labels, value);
        },
      });
    },
    counter: (name, help, read) => {
      new Counter({
        ...{ name, help, registers, labelNames: labelNames(read) },
        collect() {
          this.reset();
          for (const [labels, value] of valuesOf(read())) this.inc(labels, value);
        },
      });
    },
  };
}
