import {
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
} from "@opentelemetry/api";
import { afterEach, describe, expect, test } from "vitest";
import { openServiceStage, type ServiceStage } from "../service/stage.ts";
import { type Json, META } from "../stage.ts";

let stage: ServiceStage;
afterEach(async () => {
  trace.disable();
  await stage[Symbol.asyncDispose]();
});

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
// The server's SDK takes the envelope out; nothing is left where nothing else was in it.
const metaOfLastCall = (): Json => (stage.station.station.calls.at(-1) as Json)._meta ?? {};

/** Spans as an SDK makes them, kept. */
function keepSpans(): Json[] {
  const kept: Json[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, context?: Context): Span => {
    const parent = context && trace.getSpanContext(context);
    const own: SpanContext = {
      traceId: parent?.traceId ?? "1".repeat(32),
      spanId: `${kept.length + 1}`.padStart(16, "0"),
      traceFlags: 1,
    };
    const span = { name, ...options, parent, own, status: undefined as unknown, isEnded: false };
    kept.push(span);
    return {
      spanContext: () => own,
      isRecording: () => true,
      setAttribute: (key: string, value: unknown) =>
        Object.assign(span.attributes ?? {}, { [key]: value }),
      setStatus: (status: unknown) => Object.assign(span, { status }),
      end: () => Object.assign(span, { isEnded: true }),
    } as unknown as Span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  return kept;
}

describe("without an SDK", () => {
  test("passes on the caller's trace from the headers into the message", async () => {
    stage = await openServiceStage();
    const call = { name: "forecast", arguments: { city: "Graz" } };
    await stage.post("tools/call", call, {
      headers: { traceparent: PARENT, tracestate: "vendor=1" },
    });
    expect(metaOfLastCall()).toMatchObject({ traceparent: PARENT, tracestate: "vendor=1" });
  });

  test("keeps the caller's own trace in the message", async () => {
    stage = await openServiceStage();
    const other = PARENT.replace("b7ad", "aaaa");
    const _meta = { ...META, traceparent: other };
    const call = { name: "forecast", arguments: { city: "Graz" }, _meta };
    await stage.post("tools/call", call, { headers: { traceparent: PARENT } });
    expect(metaOfLastCall().traceparent).toBe(other);
  });

  test("the rest of the message stays as it was sent, unknown members included", async () => {
    stage = await openServiceStage();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "echo", arguments: { one: 1.5 }, _meta: META },
      extra: [1.25],
    });
    const { pipeline } = stage.service.gateway;
    const run = pipeline.run.bind(pipeline);
    let seen: unknown;
    pipeline.run = (exchange) =>
      run(exchange).finally(() => {
        seen = exchange.frame;
      });
    await stage.post("tools/call", { name: "echo" }, { headers: { traceparent: PARENT }, body });
    expect(seen).toMatchObject({
      params: { arguments: { one: 1.5 }, _meta: { traceparent: PARENT } },
      extra: [1.25],
    });
  });

  test.each([
    "00-0000-0000-01",
    `ff${PARENT.slice(2)}`,
    PARENT.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  ])("a trace that is none goes no further: %s", async (traceparent) => {
    stage = await openServiceStage();
    const call = { name: "forecast", arguments: { city: "Graz" } };
    await stage.post("tools/call", call, { headers: { traceparent } });
    expect(metaOfLastCall().traceparent).toBeUndefined();
  });

  test("passes nothing on if traces are off", async () => {
    stage = await openServiceStage({ telemetry: { traces: false } });
    const call = { name: "forecast", arguments: { city: "Graz" } };
    await stage.post("tools/call", call, { headers: { traceparent: PARENT } });
    expect(metaOfLastCall().traceparent).toBeUndefined();
  });
});

describe("with an SDK", () => {
  test("each request is a span below the caller's, and the server's is below it", async () => {
    const spans = keepSpans();
    stage = await openServiceStage();
    const call = { name: "forecast", arguments: { city: "Graz" } };
    await stage.post("tools/call", call, { headers: { traceparent: PARENT } });
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      name: "tools/call forecast",
      parent: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" },
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "forecast",
        "vitrine.server": "station",
        "vitrine.party": "model",
      },
      isEnded: true,
    });
    expect(metaOfLastCall().traceparent).toBe(
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000001-01",
    );
    expect(JSON.stringify(spans)).not.toContain("Graz");
  });

  test("a refusal is a span with its reason", async () => {
    const spans = keepSpans();
    stage = await openServiceStage();
    await stage.post("tools/call", { name: "nothing" });
    expect(spans[0]).toMatchObject({
      attributes: { "error.type": "unknown-tool" },
      status: { code: 2 },
      isEnded: true,
    });
  });
});
