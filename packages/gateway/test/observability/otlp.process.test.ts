// Traces and metrics for a collector, without more packages (O10).

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { openServiceStage } from "../service/stage.ts";
import type { Json } from "../stage.ts";

test("sends a span for each call and the metrics to a collector, and outlives it", async () => {
  const got: { path: string; key: unknown; body: Json }[] = [];
  const collector = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    got.push({ path: `${request.url}`, key: request.headers["x-key"], body: JSON.parse(text) });
    response.end("{}");
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const otlp = { url, headers: { "x-key": "CANARY-key-of-the-collector" }, seconds: 1 };
  const stage = await openServiceStage({ telemetry: { otlp } });
  onTestFinished(() => stage[Symbol.asyncDispose]());
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const call = { name: "forecast", arguments: { city: "Graz" } };
  await stage.post("tools/call", call, { headers });
  await stage.post("tools/call", { name: "nothing", arguments: {} });
  const bodies = (path: string): Json[] =>
    got.filter((each) => each.path === path).map(({ body }) => body);
  const spans = (): Json[] =>
    bodies("/v1/traces").flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans);
  await vi.waitFor(() => expect(spans()).toHaveLength(2), 20_000);
  expect(spans()[0]).toMatchObject({
    ...{ traceId, parentSpanId: "b7ad6b7169203331", name: "tools/call forecast", kind: 2 },
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    attributes: expect.arrayContaining([
      { key: "vitrine.server", value: { stringValue: "station" } },
    ]),
  });
  expect(BigInt(spans()[0].endTimeUnixNano)).toBeGreaterThan(BigInt(spans()[0].startTimeUnixNano));
  // A call without a trace gets one, which the server and the log receive too.
  expect(spans()[1]).toMatchObject({ status: { code: 2 } });
  const line = stage.log.find(({ msg }) => msg === "request refused");
  expect(line.trace).toBe(spans()[1].traceId);
  const metric = (wanted: string): Json =>
    bodies("/v1/metrics")
      .at(-1)
      ?.resourceMetrics[0].scopeMetrics[0].metrics.find(({ name }: Json) => name === wanted);
  const points = (): Json[] =>
    metric("vitrine_request_duration_seconds")?.histogram.dataPoints ?? [];
  await vi.waitFor(() => expect(points().length).toBeGreaterThan(0), 20_000);
  expect(metric("vitrine_requests_total").sum).toMatchObject({
    ...{ isMonotonic: true, aggregationTemporality: 2 },
  });
  const [point] = points();
  expect(point.bucketCounts).toHaveLength(point.explicitBounds.length + 1);
  const total = point.bucketCounts.reduce((sum: number, count: string) => sum + Number(count), 0);
  expect(`${total}`).toBe(point.count);
  expect(new Set(got.map(({ key }) => key))).toEqual(new Set(["CANARY-key-of-the-collector"]));

  collector.closeAllConnections();
  collector.close();
  expect((await stage.post("tools/call", call)).status).toBe(200);
  const failed = ({ msg }: Json): boolean => /can't be sent to the collector/.test(msg);
  await vi.waitFor(() => expect(stage.log.filter(failed).length).toBeGreaterThan(0), 20_000);
  expect(stage.logText()).not.toContain("CANARY-key");
}, 60_000);
