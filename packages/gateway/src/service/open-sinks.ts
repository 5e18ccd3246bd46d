// Opens the sinks of a configuration and logs their state.

import { createOcsfSink } from "../audit/sinks/ocsf-sink.ts";
import { createOtlpSink } from "../audit/sinks/otlp-sink.ts";
import { createS3Sink } from "../audit/sinks/s3-sink.ts";
import type { AuditSink } from "../audit/sinks/sink.ts";
import { SinkRunner } from "../audit/sinks/sink-runner.ts";
import { createSyslogSink } from "../audit/sinks/syslog-sink.ts";
import type { GatewayConfig, SinkConfig } from "../config/config.ts";
import type { Engine } from "../engine/index.ts";
import type { Log } from "../observability/log.ts";
import type { MetricSink } from "../observability/metric-sink.ts";

/** The running sinks. */
export interface Sinks {
  addMetrics(to: MetricSink): void;
  close(): Promise<void>;
}

/** Opens the sinks, if there are any and this process has the role archiver. */
export function openSinks(
  { audit: { sinks }, cluster: { roles } }: GatewayConfig,
  engine: Engine,
  log: Log,
): Sinks | undefined {
  if (sinks.length === 0 || !roles.includes("archiver")) return undefined;
  const runners = sinks.map((config) => {
    const sink = config.name ?? config.kind;
    return new SinkRunner({
      engine,
      name: sink,
      sink: createSink(config),
      onProblem: (error) =>
        error
          ? log.error({ sink, reason: error.message }, "audit records can't be sent to the sink")
          : log.info({ sink }, "audit records are being sent to the sink again"),
      onNotice: (text) => log.warn({ sink }, text),
    });
  });
  const each = (read: (state: SinkRunner["state"]) => number) => () =>
    runners.map(({ state }) => [{ sink: state.name }, read(state)] as const);
  return {
    addMetrics: (to) => {
      to.gauge(
        "vitrine_audit_sink_lag_seconds",
        "Age of the oldest audit record that the sink doesn't have.",
        each(({ lag }) => lag),
      );
      to.gauge(
        "vitrine_audit_sink_failing",
        "1 while audit records can't be sent to the sink.",
        each(({ problem }) => Number(problem !== undefined)),
      );
      to.counter(
        "vitrine_audit_sink_records_total",
        "Audit records that this process sent to the sink.",
        each(({ records }) => records),
      );
    },
    close: async () => {
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}

function createSink({ kind, url, ...rest }: SinkConfig): AuditSink {
  const { headers, caFile, bucket = "", prefix, region = "us-east-1" } = rest;
  const { accessKey = "", secretKey = "", retentionDays = 1 } = rest;
  switch (kind) {
    case "syslog":
      return createSyslogSink({ url, caFile });
    case "otlp":
      return createOtlpSink({ url, headers });
    case "ocsf":
      return createOcsfSink({ url, headers });
    case "s3":
      return createS3Sink({ url, bucket, prefix, region, accessKey, secretKey, retentionDays });
  }
}
