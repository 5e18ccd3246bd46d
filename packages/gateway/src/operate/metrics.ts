import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Audit } from "../audit/index.ts";
import type { Exchange } from "../pipeline/exchange.ts";
import type { Witness } from "../pipeline/pipeline.ts";
import type { UpstreamErrorCode } from "../upstreams/upstream.ts";
import { type ClusterSources, watchCluster } from "./cluster-metrics.ts";
import { isOutage } from "./outage.ts";

/** Counts, for Prometheus. */
export interface Metrics {
  readonly witness: Witness;
  /** How a server's last call went; nothing when it went well. */
  upstream(server: string, failure: UpstreamErrorCode | undefined): void;
  /** A server that is no longer there is not counted on. */
  forget(server: string): void;
  /** An answer of the HTTP side, those included that never became a request to a server. */
  answered(status: number): void;
  /** Reads what is there at each scrape. */
  watch(source: { views(): number; audit: Audit; isDraining(): boolean }): void;
  /** The same of what several processes share. */
  watchCluster(sources: ClusterSources): void;
  text(): Promise<string>;
  readonly contentType: string;
  close(): void;
}

// What callers name goes into no label unless we know it: a label for each name would fill the memory.
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

/** Makes the counters, in a registry of their own. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: "vitrine_requests_total",
    help: "Requests by server, method, who asked, and how they ended: result, error, or why refused.",
    labelNames: ["server", "method", "party", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "vitrine_request_duration_seconds",
    help: "Time from the request to its answer, of requests that reached a server.",
    labelNames: ["server", "method"],
    buckets: SECONDS,
    registers,
  });
  const responses = new Counter({
    name: "vitrine_http_responses_total",
    help: "Answers of the HTTP side by status.",
    labelNames: ["status"],
    registers,
  });
  const up = new Gauge({
    name: "vitrine_upstream_up",
    help: "1 if the last call reached the server, 0 if it did not.",
    labelNames: ["server"],
    registers,
  });
  const failures = new Counter({
    name: "vitrine_upstream_failures_total",
    help: "Calls that a server did not answer, by what happened.",
    labelNames: ["server", "code"],
    registers,
  });

  return {
    witness: {
      admit: () => undefined,
      refused: (exchange, _link, { code }) => void requests.inc(labelsOf(exchange, code)),
      answered: (exchange, { kind, code, milliseconds }) => {
        requests.inc(labelsOf(exchange, code ?? kind));
        const { server, method } = labelsOf(exchange, "");
        durations.observe({ server, method }, milliseconds / 1000);
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
      gauge(registers, "vitrine_views", "Views that are connected.", views);
      gauge(registers, "vitrine_draining", "1 while it is closing.", () => Number(isDraining()));
      const read = (pick: (state: Audit["state"]) => number) => () => pick(audit.state);
      gauge(
        registers,
        "vitrine_audit_backlog_bytes",
        "Bytes of audit records that are not stored yet.",
        read(({ waitingBytes }) => waitingBytes),
      );
      gauge(
        registers,
        "vitrine_audit_backlog_records",
        "Audit records that are not stored yet.",
        read(({ recorded, stored }) => recorded - stored),
      );
      gauge(
        registers,
        "vitrine_audit_dropped_records",
        "Audit records that could not be kept.",
        read(({ dropped }) => dropped),
      );
      gauge(
        registers,
        "vitrine_audit_failing",
        "1 while audit records cannot be stored.",
        read(({ status }) => Number(status === "failing")),
      );
    },
    watchCluster: (sources) => watchCluster(registers, sources),
    text: () => register.metrics(),
    contentType: register.contentType,
    close: () => register.clear(),
  };
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
}

function labelsOf(
  { server, frame, caller }: Exchange,
  outcome: string,
): { server: string; method: string; party: string; outcome: string } {
  const method = frame && METHODS.has(frame.method) ? frame.method : "other";
  return { server: server.id, method, party: caller.party, outcome };
}
