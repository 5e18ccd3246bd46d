// Opens what sends traces and metrics to a collector.

import type { GatewayConfig } from "../config/config.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { sendOtlpMetrics } from "../observability/otlp-metrics.ts";
import { createOtlpTraces } from "../observability/otlp-traces.ts";
import { traceRecorder } from "../observability/tracing.ts";
import type { Recorder } from "../policy/pipeline.ts";
import { nodeName } from "./open-parts.ts";

/** The recorders of traces, and what to close. */
export interface Telemetry {
  recorders: readonly Recorder[];
  close(): Promise<void>;
}

/** Opens the telemetry of a configuration. */
export function openTelemetry(
  { telemetry: { traces, otlp }, engine }: GatewayConfig,
  metrics: Metrics,
  log: Log,
): Telemetry {
  if (!otlp) return { recorders: traces ? [traceRecorder()] : [], close: async () => {} };
  const target = { url: otlp.url, headers: otlp.headers, node: nodeName(engine.node) };
  const onProblem = (what: string) => (error: Error | undefined) =>
    error
      ? log.warn({ reason: error.message }, `${what} can't be sent to the collector`)
      : log.info(`${what} are being sent to the collector again`);
  const sent = traces
    ? createOtlpTraces({ ...target, sample: otlp.sample, onProblem: onProblem("traces") })
    : undefined;
  if (sent) {
    metrics.sink.counter("vitrine_otlp_spans_total", "Spans by what became of them.", () => [
      [{ outcome: "sent" }, sent.counts.sent],
      [{ outcome: "dropped" }, sent.counts.dropped],
    ]);
  }
  const { seconds } = otlp;
  const read = metrics.values;
  const endMetrics = otlp.metrics
    ? sendOtlpMetrics({ ...target, seconds, read, onProblem: onProblem("metrics") })
    : undefined;
  return {
    recorders: sent ? [traceRecorder(sent.tracer)] : [],
    close: async () => {
      await endMetrics?.();
      await sent?.close();
    },
  };
}
