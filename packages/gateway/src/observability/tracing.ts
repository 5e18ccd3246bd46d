// Tracing through the OpenTelemetry API. Without `telemetry.otlp` and without an SDK in the process, no spans are
// created and the caller's trace context is passed on unchanged. With one of them, each request is a span and the server receives
// the span's context. Names follow the semantic conventions for MCP; `traceparent` in `_meta` follows the
// specification.

import {
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Exchange } from "../policy/exchange.ts";
import type { Outcome, Recorder } from "../policy/pipeline.ts";

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const LONGEST_STATE = 512;

/** Creates a recorder that traces requests. */
export function traceRecorder(
  tracer: Pick<Tracer, "startSpan"> = trace.getTracer("vitrine-gateway"),
): Recorder {
  const spans = new WeakMap<Exchange, Span>();

  const start = (exchange: Exchange): Span => {
    const incoming = readTrace(exchange);
    const parent = incoming ? trace.setSpanContext(ROOT_CONTEXT, incoming) : ROOT_CONTEXT;
    const { frame, tool, server, caller } = exchange;
    const method = frame?.method.slice(0, 64) ?? "unreadable";
    return tracer.startSpan(
      tool ? `${method} ${tool.name}` : method,
      {
        kind: SpanKind.SERVER,
        attributes: {
          "mcp.method.name": method,
          "vitrine.server": server.id,
          "vitrine.party": caller.party,
          "network.transport": exchange.carrier,
          ...(tool && { "gen_ai.tool.name": tool.name }),
        },
      },
      parent,
    );
  };
  const end = (span: Span, error: string | undefined): void => {
    if (error !== undefined) {
      span.setAttribute("error.type", error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };

  return {
    admit: (exchange) => {
      const span = start(exchange);
      // A span that isn't collected doesn't need to be ended.
      if (span.isRecording()) spans.set(exchange, span);
      addTraceContext(exchange, span.spanContext());
      return undefined;
    },
    refused: (exchange, _link, { code }) => {
      const span = spans.get(exchange) ?? start(exchange);
      // For the records of the refusal: nothing is sent to the server.
      if (exchange.frame) addTraceContext(exchange, span.spanContext());
      end(span, code);
    },
    answered: (exchange, { kind, code }: Outcome) => {
      const span = spans.get(exchange);
      if (span) end(span, kind === "result" ? undefined : (code ?? kind));
    },
  };
}

/** Reads the caller's trace context from `_meta`, which travels with the message, or from the HTTP headers. */
function readTrace({ frame, headers }: Exchange): SpanContext | undefined {
  const meta = Object(frame?.params?._meta) as Record<string, unknown>;
  const source = typeof meta.traceparent === "string" ? meta : headers;
  const [, version, traceId = "", spanId = "", flags = ""] =
    TRACEPARENT.exec(`${source.traceparent}`) ?? [];
  if (version === undefined || version === "ff") return undefined;
  const { tracestate } = source;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof tracestate === "string" &&
      tracestate.length <= LONGEST_STATE && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(context) ? context : undefined;
}

/** Adds the trace context for the server. A value that the caller put in `_meta` is passed on unchanged. */
function addTraceContext(exchange: Exchange, context: SpanContext): void {
  const { frame } = exchange;
  const meta = Object(frame.params?._meta) as Record<string, unknown>;
  if (frame.id === undefined || meta.traceparent !== undefined) return;
  if (!isSpanContextValid(context)) return;
  const flags = context.traceFlags.toString(16).padStart(2, "0");
  const traceparent = `00-${context.traceId}-${context.spanId}-${flags}`;
  const tracestate = context.traceState?.serialize();
  const _meta = { ...meta, traceparent, ...(tracestate && { tracestate }) };
  exchange.frame = { ...frame, params: { ...frame.params, _meta } };
}
