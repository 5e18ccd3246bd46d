// What an upstream shows of every server, whatever its protocol version: real servers of both SDKs.

import { serveSessions, serveSse } from "@vitrine/internal/session-servers";
import { serveStation1, serveStation2, stationServer1 } from "@vitrine/internal/station-servers";
import { STATION_VIEW, WeatherStation } from "@vitrine/internal/weather-station";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRealPair } from "../../../cluster/test/real-pair.ts";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { createHttpUpstream, type HttpUpstreamOptions } from "../../src/upstreams/http-upstream.ts";
import {
  createStdioUpstream,
  type StdioUpstreamOptions,
} from "../../src/upstreams/stdio-upstream.ts";
import type { Upstream, UpstreamEvent } from "../../src/upstreams/upstream.ts";
import { ann, type CallOptions, request, resultOf, toolCall, until } from "./calls.ts";
import { program } from "./programs.ts";

interface Opened extends AsyncDisposable {
  upstream: Upstream;
}

const station = new WeatherStation(() => new Error());
const serveStation = () => stationServer1().server;

async function http(
  serve: () => Promise<AsyncDisposable & { url: URL }>,
  options: Partial<HttpUpstreamOptions> = {},
): Promise<Opened> {
  const served = await serve();
  const guard = createAddressGuard({ exempt: [served.url.host] });
  const upstream = createHttpUpstream({
    id: "ours",
    url: served.url,
    guard,
    relisten: 50,
    ...options,
  });
  return {
    upstream,
    async [Symbol.asyncDispose]() {
      await upstream.close();
      await served[Symbol.asyncDispose]();
    },
  };
}

async function stdio(name: string, options: Partial<StdioUpstreamOptions> = {}): Promise<Opened> {
  const upstream = createStdioUpstream({
    id: "ours",
    argv: program(name),
    relisten: 50,
    ...options,
  });
  return { upstream, [Symbol.asyncDispose]: () => upstream.close() };
}

async function routed(name: string): Promise<Opened> {
  const pair = await openRealPair(
    (mayStart) => createStdioUpstream({ id: "ours", argv: program(name), relisten: 50, mayStart }),
    { ttl: 30_000 },
  );
  return { upstream: pair.other, [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose]() };
}

const servers: [name: string, isLegacy: boolean, open: () => Promise<Opened>][] = [
  ["SDK v2 over HTTP, 2026-07-28", false, () => http(serveStation2)],
  [
    "SDK v2 over HTTP, 2025-11-25 without sessions",
    true,
    () => http(serveStation2, { era: "legacy" }),
  ],
  ["SDK v1 over HTTP with a session", true, () => http(serveStation1)],
  ["SDK v1 over HTTP with sessions", true, () => http(() => serveSessions(serveStation))],
  [
    "SDK v1 over HTTP, JSON answers",
    true,
    () => http(() => serveSessions(serveStation, { json: true })),
  ],
  ["SDK v1 over HTTP+SSE", true, () => http(() => serveSse(serveStation))],
  [
    "SDK v1 over HTTP+SSE, by configuration",
    true,
    () => http(() => serveSse(serveStation), { transport: "sse" }),
  ],
  ["SDK v2 over stdio, 2026-07-28", false, () => stdio("station-stdio")],
  ["SDK v2 over stdio, 2025-11-25", true, () => stdio("station-stdio", { era: "legacy" })],
  ["SDK v1 over stdio", true, () => stdio("station-stdio-1")],
  ["SDK v2 over stdio, of another process of the cluster", false, () => routed("station-stdio")],
];

describe.each(servers)("%s", { timeout: 30_000 }, (name, isLegacy, open) => {
  const hasProgress = !name.includes("JSON");
  const hasChanges = !name.includes("without sessions");
  // One for all, since processes start slowly; the last test closes it.
  let opened: Opened;
  let upstream: Upstream;
  beforeAll(async () => {
    opened = await open();
    ({ upstream } = opened);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test("looks like a server of 2026-07-28", async () => {
    const found = await upstream.discover(ann);
    expect(found).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: {
        tools: { listChanged: true },
        extensions: { "io.modelcontextprotocol/ui": {} },
      },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "station", version: "1.0.0" } },
    });
    expect(typeof found.ttlMs).toBe("number");
    const sent = await upstream.send(request("server/discover", {}, { id: "d" }));
    expect(sent.message.id).toBe("d");
    expect(resultOf(sent)).toMatchObject({ resultType: "complete", capabilities: { tools: {} } });
    const called = resultOf(await upstream.send(toolCall("forecast", { city: "Tromsø 🌨" })));
    const expected = await station.callTool(
      { name: "forecast", arguments: { city: "Tromsø 🌨" } },
      {} as never,
    );
    expect(called).toMatchObject({ ...expected, resultType: "complete" });
    if (isLegacy) expect(called._meta).toEqual(expected._meta);
    for (const [method, params] of [
      ["tools/list", {}],
      ["resources/list", {}],
      ["resources/templates/list", {}],
      ["prompts/list", {}],
      ["resources/read", { uri: STATION_VIEW }],
    ] as const) {
      const result = resultOf(await upstream.send(request(method, params)));
      expect(result, method).toMatchObject({
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
      });
    }
    const read = resultOf(await upstream.send(request("resources/read", { uri: STATION_VIEW })));
    expect(read.contents).toEqual(station.readResource({ uri: STATION_VIEW }).contents);
    const page = resultOf(await upstream.send(request("tools/list", { cursor: "2" })));
    expect(page.tools).toEqual(station.listTools({ cursor: "2" }).tools);
  });

  test("passes the host's metadata of a call, and none of the gateway's", async () => {
    const meta = { progressToken: "t", "host/mark": { deep: [1] } };
    const answer = await upstream.send(toolCall("echo", { a: 1 }, { meta }));
    const { params } = resultOf(answer).structuredContent;
    expect(params).toMatchObject({ name: "echo", arguments: { a: 1 } });
    expect(params._meta).toMatchObject({ "host/mark": { deep: [1] } });
    if (isLegacy) expect(Object.keys(params._meta).sort()).toEqual(["host/mark", "progressToken"]);
  });

  test("passes on errors and failed tool results unchanged", async () => {
    const refused = await upstream.send(toolCall("refuse", {}, { id: 7 }));
    expect(refused.message).toMatchObject({
      id: 7,
      error: { code: -31999, message: "Not in winter", data: { season: "winter" } },
    });
    const failed = await upstream.send(toolCall("fail"));
    expect(resultOf(failed)).toMatchObject({
      isError: true,
      content: [{ text: "The mast is down" }],
    });
    const missing = await upstream.send(request("resources/read", { uri: "ui://none" }));
    expect(missing.message).toMatchObject({ error: { code: -32602, message: "No ui://none" } });
    const unknown = await upstream.send(request("no/such", {}));
    expect(unknown.message).toMatchObject({ error: { code: -32601 } });
  });

  test("gives concurrent calls with the same id their own responses", async () => {
    const cities = ["Oslo", "Bergen", "Alta", "Bodø", "Moss"];
    const answers = await Promise.all(
      cities.map((city) => upstream.send(toolCall("forecast", { city }, { id: 1 }))),
    );
    expect(answers.map((answer) => resultOf(answer).structuredContent.city)).toEqual(cities);
    expect(answers.map(({ message }) => message.id)).toEqual([1, 1, 1, 1, 1]);
  });

  test.runIf(hasProgress)("progress comes in order, under the token of who asked", async () => {
    const received: unknown[] = [];
    const options: CallOptions = {
      meta: { progressToken: "mine" },
      onNotification: ({ params }) => received.push(params),
    };
    await upstream.send(toolCall("slow", { id: "short" }, options));
    expect(received).toMatchObject([
      { progressToken: "mine", progress: 1, total: 3, message: "wind" },
      { progressToken: "mine", progress: 2, total: 3 },
    ]);
  });

  // A server without sessions has forgotten the call when it is cancelled by another request.
  test.runIf(hasChanges)("an abort reaches the tool", async () => {
    await upstream.send(toolCall("aborted"));
    const controller = new AbortController();
    const call = upstream.send(toolCall("slow", { id: "long" }, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 150);
    await expect(call).rejects.toMatchObject({ code: "aborted", sent: true });
    await until(async () => {
      const { content } = resultOf(await upstream.send(toolCall("aborted")));
      return JSON.parse(content[0].text).includes("long");
    });
  });

  test("a deadline reaches the caller in time", async () => {
    await upstream.send(toolCall("aborted"));
    const start = performance.now();
    const call = upstream.send(toolCall("slow", { id: "long" }, { deadline: 200 }));
    await expect(call).rejects.toMatchObject({ code: "timeout", sent: true });
    expect(performance.now() - start).toBeLessThan(3000);
  });

  test.runIf(hasChanges)("tells what has changed, to each listener, until its undo", async () => {
    const received: UpstreamEvent[] = [];
    const other: UpstreamEvent[] = [];
    await upstream.send(toolCall("aborted"));
    const undo = upstream.listen(ann, (event) => received.push(event));
    const undoOther = upstream.listen(ann, (event) => other.push(event));
    const change = (list: string) => upstream.send(toolCall("change", { list }));
    await until(async () => {
      await change("tools");
      return received.length > 0;
    }, 10_000);
    for (const kind of ["resources", "prompts"] as const) {
      await change(kind);
      await until(() =>
        [received, other].every((events) => events.some((event) => event.kind === kind)),
      );
    }
    expect(received[0]).toEqual({ server: "ours", kind: "tools" });
    undo();
    undo();
    const before = received.length;
    const others = other.length;
    await change("prompts");
    await until(() => other.length > others);
    expect(received).toHaveLength(before);
    undoOther();
  });

  test("stays closed, and can be closed twice", async () => {
    await upstream.send(toolCall("aborted"));
    await Promise.all([upstream.close(), upstream.close()]);
    await expect(upstream.send(toolCall("aborted"))).rejects.toMatchObject({ code: "closed" });
  });
});
