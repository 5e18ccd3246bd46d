// OTLP logs over HTTP with JSON: a log record for each audit record.

import { toAscii } from "../ascii.ts";
import type { ReadRecord } from "../reading.ts";
import { postBody } from "./http-post.ts";
import type { AuditSink, SinkStep } from "./sink.ts";

/** Where a collector is. */
export interface OtlpSinkOptions {
  /** Such as `https://collector.example:4318/v1/logs`. */
  url: string;
  headers?: Record<string, string> | undefined;
}

const BATCH_BYTES = 512 * 1024;
const INFO = { severityNumber: 9, severityText: "INFO" };
const WARN = { severityNumber: 13, severityText: "WARN" };
const TRACE = /^[0-9a-f]{32}$/;

/** A sink that is an OpenTelemetry collector. */
export function createOtlpSink({ url, headers = {} }: OtlpSinkOptions): AuditSink {
  return {
    batching: { bytes: BATCH_BYTES, wait: 0 },
    send: async (batch, signal) => {
      if (batch.every(({ records }) => records.length === 0)) return;
      await postBody(url, {
        body: JSON.stringify(logsOf(batch)),
        headers: { "content-type": "application/json", ...headers },
        signal,
      });
    },
    close: async () => {},
  };
}

/** The request for a batch: one resource for each gateway. */
function logsOf(batch: readonly SinkStep[]): object {
  const byNode = Map.groupBy(
    batch.flatMap(({ records }) => records),
    ({ node }) => node,
  );
  return {
    resourceLogs: [...byNode].map(([node, records]) => ({
      resource: {
        attributes: attributesOf({
          "service.name": "vitrine-gateway",
          "service.instance.id": node,
        }),
      },
      scopeLogs: [{ scope: { name: "vitrine.audit" }, logRecords: records.map(logOf) }],
    })),
  };
}

function logOf(record: ReadRecord): object {
  const { time, event, actor, server, tool, decision, outcome, trace } = record;
  const nanoseconds = `${Date.parse(time) || 0}000000`;
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    ...(decision?.verdict === "deny" ? WARN : INFO),
    eventName: `vitrine.audit.${event}`,
    body: { stringValue: toAscii(JSON.stringify(record)) },
    attributes: attributesOf({
      "log.record.uid": `${record.node}.${record.epoch}.${record.sequence}`,
      "vitrine.event": event,
      "vitrine.tenant": actor?.tenant,
      "user.id": actor?.user,
      "vitrine.view": actor?.view,
      "vitrine.server": server,
      "mcp.method.name": record.method,
      "gen_ai.tool.name": tool,
      "vitrine.verdict": decision?.verdict,
      "error.type": decision?.code ?? outcome?.code,
    }),
    ...(trace !== undefined && TRACE.test(trace) && { traceId: trace }),
  };
}

function attributesOf(values: Record<string, string | number | undefined>): object[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => ({ key, value: { stringValue: `${value}` } }));
}
