// OCSF over HTTP: an API Activity (class 6003) for each audit record, as a list of JSON objects.

import { toAscii } from "../ascii.ts";
import type { ReadRecord } from "../reading.ts";
import { postBody } from "./http-post.ts";
import type { AuditSink } from "./sink.ts";

/** Where a SIEM accepts events. */
export interface OcsfSinkOptions {
  url: string;
  headers?: Record<string, string> | undefined;
}

const BATCH_BYTES = 512 * 1024;
const API_ACTIVITY = 6003;
const APPLICATION_ACTIVITY = 6;
const OTHER_ACTIVITY = 99;
const READ_ACTIVITY = 2;
const SEVERITY = { informational: 1, low: 2 };
const STATUS = { unknown: 0, success: 1, failure: 2 };
const READS = /^(?:tools|resources|prompts)\/(?:list|read|get)|^resources\/templates\/list/;

/** A sink that takes OCSF events. */
export function createOcsfSink({ url, headers = {} }: OcsfSinkOptions): AuditSink {
  return {
    batching: { bytes: BATCH_BYTES, wait: 0 },
    send: async (batch, signal) => {
      const events = batch.flatMap(({ records }) => records.map(eventOf));
      if (events.length === 0) return;
      await postBody(url, {
        body: toAscii(JSON.stringify(events)),
        headers: { "content-type": "application/json", ...headers },
        signal,
      });
    },
    close: async () => {},
  };
}

/** A record as an event of OCSF 1.5. */
export function eventOf(record: ReadRecord): object {
  const { time, event, actor, server, method, tool, decision, outcome, trace, duration } = record;
  const isDenied = decision?.verdict === "deny";
  const activity = READS.test(method ?? "") ? READ_ACTIVITY : OTHER_ACTIVITY;
  const address = remoteOf(record);
  return {
    activity_id: activity,
    activity_name: activity === READ_ACTIVITY ? "Read" : event,
    category_uid: APPLICATION_ACTIVITY,
    category_name: "Application Activity",
    class_uid: API_ACTIVITY,
    class_name: "API Activity",
    type_uid: API_ACTIVITY * 100 + activity,
    time: Date.parse(time) || 0,
    severity_id: isDenied ? SEVERITY.low : SEVERITY.informational,
    status_id: statusOf(isDenied, outcome?.kind),
    ...(isDenied && { status_code: decision?.code }),
    ...(duration !== undefined && { duration: Math.round(duration) }),
    metadata: {
      version: "1.5.0",
      uid: `${record.node}.${record.epoch}.${record.sequence}`,
      ...(trace !== undefined && { correlation_uid: trace }),
      log_name: "audit",
      product: { name: "Vitrine gateway", vendor_name: "Vitrine" },
    },
    actor: {
      user: {
        name: actor?.user ?? "unknown",
        ...(actor && { uid: `${actor.tenant}/${actor.user}`, org: { name: actor.tenant } }),
      },
      ...(actor?.view !== undefined && { session: { uid: actor.view } }),
    },
    api: {
      operation: tool ?? method ?? event,
      service: { name: server ?? "gateway" },
    },
    src_endpoint: address === undefined ? { name: "unknown" } : { ip: address },
    unmapped: record,
  };
}

function statusOf(isDenied: boolean, kind: string | undefined): number {
  if (isDenied || kind === "error" || kind === "refused" || kind === "failed") {
    return STATUS.failure;
  }
  return kind === undefined ? STATUS.unknown : STATUS.success;
}

function remoteOf({ detail }: ReadRecord): string | undefined {
  const { remote } = Object(detail) as { remote?: unknown };
  return typeof remote === "string" ? remote : undefined;
}
