import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import type { Audit } from "../audit/index.ts";
import type { Exchange } from "../policy/exchange.ts";
import type { Recorder } from "../policy/pipeline.ts";
import type { UpstreamErrorCode } from "../upstreams/upstream.ts";
import { createMetricSink, type MetricSink } from "./metric-sink.ts";
import { isOutage } from "./outage.ts";
import { createToolMetrics } from "./tool-metrics.ts";

/** Metrics for Prometheus. */
export interface Metrics {
  readonly recorder: Recorder;
  /** Reports how a server's last call went: the failure, or undefined for a success. */
  upstream(server: string, failure: UpstreamErrorCode | undefined): void;
  /** Removes the metrics of a server that was removed. */
  forget(server: string): void;
  /** Counts an HTTP response, including requests that were rejected before they reached a server. */
  answered(status: number): void;
  /** Reads these values at each scrape. */
  watch(source: { views(): number; audit: Audit; isDraining(): boolean }): void;
  /** Takes the metrics of other parts. */
  readonly sink: MetricSink;
  text(): Promise<string>;
  /** The same as values. */
  values(): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>;
  readonly contentType: string;
  close(): void;
}

// Names chosen by callers become labels only if they are known. A label for each name would use unbounded
// memory.
const METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "server/discover",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "subscriptions/listen",
  "notifications/message",
  "notifications/cancelled",
  "notifications/initialized",
]);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Creates the metrics in a separate registry. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const sink = createMetricSink(registers);
  const requests = new Counter({
    name: "vitrine_requests_total",
    help: "Requests by server, method, caller and outcome: result, error, or the reason of the refusal.",
    labelNames: ["server", "method", "party", "outcome"],
    registers,
  });
  const exceeded = new Counter({
    name: "vitrine_limit_refusals_total",
    help: "Requests rejected because of a limit, by the name of the limit or quota.",
    labelNames: ["limit"],
    registers,
  });
  const durations = new Histogram({
    name: "vitrine_request_duration_seconds",
    help: "Time from request to response, for requests that reached a server.",
    labelNames: ["server", "method"],
    buckets: SECONDS,
    registers,
  });
  const tools = createToolMetrics(registers);
  const responses = new Counter({
    name: "vitrine_http_responses_total",
    help: "HTTP responses by status.",
    labelNames: ["status"],
    registers,
  });
  const up = new Gauge({
    name: "vitrine_upstream_up",
    help: "1 if the last call reached the server, 0 otherwise.",
    labelNames: ["server"],
    registers,
  });
  const failures = new Counter({
    name: "vitrine_upstream_failures_total",
    help: "Calls that got no response from the server, by failure.",
    labelNames: ["server", "code"],
    registers,
  });

  return {
    recorder: {
      admit: () => undefined,
      refused: (exchange, _link, { code, data }) => {
        requests.inc(labelsOf(exchange, code));
        tools.called(exchange, code);
        // Only limits that the operator set are named here.
        if (typeof data?.limit === "string") exceeded.inc({ limit: data.limit });
      },
      answered: (exchange, { kind, code, milliseconds }) => {
        requests.inc(labelsOf(exchange, code ?? kind));
        const { server, method } = labelsOf(exchange, "");
        durations.observe({ server, method }, milliseconds / 1000);
        tools.called(exchange, code ?? kind, milliseconds / 1000);
      },
    },
    upstream: (server, failure) => {
      if (failure === undefined) return up.set({ server }, 1);
      failures.inc({ server, code: failure });
      if (isOutage(failure)) up.set({ server }, 0);
    },
    forget: (server) => up.remove({ server }),
    answered: (status) => responses.inc({ status: `${status}` }),
    watch: ({ views, audit, isDraining }) => {
      const { gauge } = sink;
      gauge("vitrine_views", "Connected Views.", views);
      gauge("vitrine_draining", "1 while the gateway shuts down.", () => Number(isDraining()));
      gauge(
        "vitrine_audit_backlog_bytes",
        "Bytes of audit records that aren't stored yet.",
        () => audit.state.waitingBytes,
      );
      gauge(
        "vitrine_audit_backlog_records",
        "Audit records that aren't stored yet.",
        () => audit.state.recorded - audit.state.stored,
      );
      gauge(
        "vitrine_audit_dropped_records",
        "Audit records that were dropped.",
        () => audit.state.dropped,
      );
      gauge("vitrine_audit_failing", "1 while audit records can't be stored.", () =>
        Number(audit.state.status === "failing"),
      );
    },
    sink,
    text: () => register.metrics(),
    values: () => register.getMetricsAsJSON(),
    contentType: register.contentType,
    close: () => register.clear(),
  };
}

function labelsOf(
  { server, frame, caller }: Exchange,
  outcome: string,
): { server: string; method: string; party: string; outcome: string } {
  const method = frame && METHODS.has(frame.method) ? frame.method : "other";
  return { server: server.id, method, party: caller.party, outcome };
}
