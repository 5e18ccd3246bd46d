// Traces by the OpenTelemetry API alone: without an SDK in the process nothing is made, and what the caller
// says of its trace is passed on; with one each request is a span, and the server is told of that.
// Names by the semantic conventions for MCP; `traceparent` in `_meta` as the specification has it.

import {
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Exchange } from "../pipeline/exchange.ts";
import type { Outcome, Witness } from "../pipeline/pipeline.ts";

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const LONGEST_STATE = 512;

/** A witness that traces. */
export function traceWitness(): Witness {
  const tracer = trace.getTracer("vitrine-gateway");
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
      // Where nobody collects them, or not this one, there is nothing to end.
      if (span.isRecording()) spans.set(exchange, span);
      passOn(exchange, span.spanContext());
      return undefined;
    },
    refused: (exchange, _link, { code }) => end(spans.get(exchange) ?? start(exchange), code),
    answered: (exchange, { kind, code }: Outcome) => {
      const span = spans.get(exchange);
      if (span) end(span, kind === "result" ? undefined : (code ?? kind));
    },
  };
}

/** What the caller says: in `_meta`, which travels with the message, or in the head of its request. */
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

/** Tells the server, unless the caller has: what is in `_meta` goes on as it is. */
function passOn(exchange: Exchange, context: SpanContext): void {
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
