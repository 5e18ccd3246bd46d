// Spans for an OpenTelemetry collector, without an SDK: the gateway has one kind of span, and OTLP over HTTP with
// JSON is a list of them. Spans wait in a bounded queue; a collector that is down costs spans, never calls.

import { randomBytes } from "node:crypto";
import {
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { attributesOf, nanoseconds, type OtlpOptions, postOtlp, resourceOf } from "./otlp-post.ts";

/** How to trace. */
export interface OtlpTracesOptions extends OtlpOptions {
  /** The share of calls without a sampled parent that are traced, 0 to 1. */
  sample: number;
  /** Called with the reason if spans can't be sent, and with undefined when they can again. */
  onProblem(error: Error | undefined): void;
}

/** Sends spans while it is open. */
export interface OtlpTraces {
  readonly tracer: Pick<Tracer, "startSpan">;
  /** Spans that were sent, and that were dropped. */
  readonly counts: { readonly sent: number; readonly dropped: number };
  /** Sends what is left. */
  close(): Promise<void>;
}

const QUEUE = 4_096;
const BATCH = 512;
const INTERVAL = 2_000;
const SERVER_KIND = 2;
const ERROR_STATUS = 2;

/** Creates a tracer that sends its spans to a collector. */
export function createOtlpTraces(options: OtlpTracesOptions): OtlpTraces {
  const queue: object[] = [];
  const counts = { sent: 0, dropped: 0 };
  let isFailing = false;
  let sending: Promise<void> | undefined;

  const report = (error: Error | undefined): void => {
    if ((error !== undefined) !== isFailing) options.onProblem(error);
    isFailing = error !== undefined;
  };
  const send = async (): Promise<void> => {
    const spans = queue.splice(0, BATCH);
    if (spans.length === 0) return;
    const scopeSpans = [{ scope: { name: "vitrine-gateway" }, spans }];
    const body = { resourceSpans: [{ resource: resourceOf(options), scopeSpans }] };
    try {
      await postOtlp(options, "traces", body);
      counts.sent += spans.length;
      report(undefined);
    } catch (error) {
      counts.dropped += spans.length;
      report(error as Error);
    }
  };
  const flush = (): Promise<void> => {
    sending ??= send().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const keep = (span: object): void => {
    if (queue.length >= QUEUE) counts.dropped += 1;
    else queue.push(span);
    if (queue.length >= BATCH) void flush();
  };
  const timer = setInterval(() => void flush(), INTERVAL).unref();

  return {
    tracer: {
      startSpan: (name, given = {}, context) => startSpan(name, given, { context, keep, options }),
    },
    counts,
    close: async () => {
      clearInterval(timer);
      await sending;
      for (let rest = queue.length; rest > 0 && !isFailing; rest = queue.length) await flush();
    },
  };
}

interface Starting {
  context: Context | undefined;
  keep(span: object): void;
  options: OtlpTracesOptions;
}

function startSpan(
  name: string,
  { attributes = {} }: SpanOptions,
  { context, keep, options }: Starting,
): Span {
  const parent = context && trace.getSpanContext(context);
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  const isSampled = ((parent?.traceFlags ?? 0) & 1) === 1 || isChosen(traceId, options.sample);
  const own: SpanContext = {
    traceId,
    spanId: randomBytes(8).toString("hex"),
    traceFlags: Number(isSampled),
    ...(parent?.traceState && { traceState: parent.traceState }),
  };
  if (!isSampled) return trace.wrapSpanContext(own);
  const start = performance.timeOrigin + performance.now();
  const kept: Record<string, unknown> = { ...attributes };
  let status = 0;
  const span = {
    spanContext: () => own,
    isRecording: () => true,
    setAttribute: (key: string, value: unknown) => {
      kept[key] = value;
      return span;
    },
    setStatus: ({ code }: { code: SpanStatusCode }) => {
      status = code === SpanStatusCode.ERROR ? ERROR_STATUS : 0;
      return span;
    },
    end: () =>
      keep({
        ...{ traceId, spanId: own.spanId, name, kind: SERVER_KIND },
        ...(parent && { parentSpanId: parent.spanId }),
        startTimeUnixNano: nanoseconds(start),
        endTimeUnixNano: nanoseconds(performance.timeOrigin + performance.now()),
        attributes: attributesOf(kept),
        status: status === 0 ? {} : { code: status },
      }),
  };
  return span as unknown as Span;
}

/** By the id, so that all processes of a trace decide the same. */
function isChosen(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32;
}
