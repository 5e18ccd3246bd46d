// Failing servers behind the whole gateway: the View's error, that no call is executed twice, that it is
// recorded, and that nobody else is affected.

import { openStream, type RawRequest, sendJson, serveRaw } from "@vitrine/internal/raw-server";
import { serveSessions } from "@vitrine/internal/session-servers";
import { stationServer1 } from "@vitrine/internal/station-servers";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { describe, expect, test } from "vitest";
import type { Json, TestSocket } from "../stage.ts";
import { processes } from "../upstreams/programs.ts";
import { openSite, type Site, startGateway } from "./gateway-process.ts";

const DEADLINE = 4000;
/** Milliseconds after which a call is not slow but lost. */
const LOST = 20_000;
const mebi = 2 ** 20;
const tools = [
  { name: "pay", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
];

/** A modern server that handles a call as its argument requests. */
const faults: Record<string, (request: RawRequest) => unknown> = {
  none: ({ response, message }) => sendJson(response, complete(message.id, { content: [] })),
  reset: ({ socket }) => socket.resetAndDestroy(),
  hang: () => {},
  "500": ({ response }) => response.writeHead(500).end("it broke"),
  "503": ({ response }) => response.writeHead(503).end(),
  garbage: ({ response }) => sendJson(response, "{"),
  large: ({ response, message }) =>
    sendJson(response, complete(message.id, { content: [], x: "x".repeat(9 * mebi) })),
  "half a stream": ({ response, socket }) => {
    openStream(response)('{"jsonrpc":"2.0","method":"notifications/x"}');
    setTimeout(() => socket.resetAndDestroy(), 20);
  },
};

function complete(id: unknown, result: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
}

function serveFaults() {
  const results: Record<string, (params: Json) => object> = {
    "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
    "tools/list": () => ({ tools, ttlMs: 60_000, cacheScope: "public" }),
    "resources/read": ({ uri }) => ({ contents: [{ uri, text: "<!doctype html>" }] }),
  };
  return serveRaw((request) => {
    const { message, response } = request;
    const result = results[message.method];
    if (result) return sendJson(response, complete(message.id, result(message.params)));
    return faults[message.params?.arguments?.fault]?.(request);
  });
}

/** Calls of another server, all the while; resolves to how many were answered and the slowest of them. */
function others(site: Site, ticket: string) {
  let isOver = false;
  const run = async () => {
    const socket = await site.socket(ticket);
    let slowest = 0;
    let answered = 0;
    for (; !isOver; answered++) {
      const began = performance.now();
      const { error } = await call(socket, "look", { call: `other-${answered}` });
      expect(error).toBeUndefined();
      slowest = Math.max(slowest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { answered, slowest };
  };
  const running = run();
  // It is received of when it is asked for.
  running.catch(() => {});
  return () => {
    isOver = true;
    return running;
  };
}

let lastId = 0;

function call(socket: TestSocket, name: string, given: object): Promise<Json> {
  const id = `c${++lastId}`;
  socket.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } });
  return socket.until((message) => message.id === id, LOST);
}

const reasonOf = ({ error }: Json): string => error?.data?.reason ?? "answered";

describe("a server over HTTP", () => {
  test("that fails affects only its own callers, and each call is made once", {
    timeout: 90_000,
  }, async () => {
    await using broken = await serveFaults();
    const site = await openSite({
      servers: { broken: { url: broken.url.href, private: true, deadline: DEADLINE } },
    });
    const gateway = await startGateway(site);
    const done = others(site, await site.ticket());
    const socket = await site.socket(await site.ticket("broken"), "broken");
    const received: Record<string, string> = {};
    for (const fault of Object.keys(faults)) {
      received[fault] = reasonOf(await call(socket, "pay", { fault }));
      // So that no breaker stands before the next: half of the calls go well.
      expect(reasonOf(await call(socket, "pay", { fault: "none" })), fault).toBe("answered");
    }
    expect(received).toEqual({
      none: "answered",
      reset: "outcome-unknown",
      hang: "timeout",
      "500": "outcome-unknown",
      "503": "unavailable",
      garbage: "unavailable",
      large: "unavailable",
      "half a stream": "outcome-unknown",
    });
    for (const fault of Object.keys(faults)) {
      if (fault === "none") continue;
      const calls = broken.requests.filter(
        ({ message }) => message.params?.arguments?.fault === fault,
      );
      expect(calls.length, fault).toBe(1);
    }
    const { answered, slowest } = await done();
    expect(answered).toBeGreaterThan(10);
    expect(slowest).toBeLessThan(DEADLINE);
    expect((await fetch(`${site.operator}/readyz`)).status).toBe(200);
    await gateway.end("SIGTERM");
    const ends = (await site.records()).filter(
      ({ server, event }) => server === "broken" && event === "answer",
    );
    const codes = ends.flatMap(({ outcome }) => outcome?.code ?? []);
    expect(codes).toEqual(Object.values(received).filter((reason) => reason !== "answered"));
    expect(await site.verify()).toMatchObject({ code: 0 });
  });

  test("that forgets its sessions gets a new handshake, and the call is made", {
    timeout: 90_000,
  }, async () => {
    await using served = await serveSessions(() => stationServer1().server, { unknown: 404 });
    const site = await openSite({
      servers: { old: { url: served.url.href, private: true, consent: "host" } },
    });
    await startGateway(site);
    const opened = await site.post("/servers/old/views", { resource: STATION_VIEW });
    const socket = await site.socket(opened.body.ticket, "old");
    const forecast = async (city: string) => {
      return (await call(socket, "forecast", { city })).result.structuredContent.city;
    };
    expect(await forecast("Oslo")).toBe("Oslo");
    const before = served.opened;
    served.forget();
    expect(await forecast("Alta")).toBe("Alta");
    expect(served.opened).toBe(before + 1);
  });
});

describe("a program", () => {
  test("that crashes at every call is started less and less: after two hundred calls no process is left, and others were served", {
    timeout: 90_000,
  }, async () => {
    const mark = `crash-loop-${process.pid}`;
    // Greets, lists and shows; ends at the first call.
    const script = `
      const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } }));
      const answers = {
        "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
        "tools/list": () => ({ tools: ${JSON.stringify(tools)}, ttlMs: 60000, cacheScope: "public" }),
        "resources/read": ({ uri }) => ({ contents: [{ uri, text: "<!doctype html>" }] }),
        "tools/call": () => process.exit(1),
      };
      require("node:readline").createInterface(process.stdin).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        if (answers[method]) say(id, answers[method](params));
      });
      // ${mark}`;
    const site = await openSite({
      servers: { loop: { command: [process.execPath, "-e", script], sharing: "all" } },
    });
    const gateway = await startGateway(site);
    const done = others(site, await site.ticket());
    const socket = await site.socket(await site.ticket("loop"), "loop");
    const counts: Record<string, number> = {};
    let most = 0;
    for (let n = 0; n < 200; n++) {
      const reason = reasonOf(await call(socket, "pay", {}));
      counts[reason] = (counts[reason] ?? 0) + 1;
      if (n % 10 === 0) most = Math.max(most, processes({ mark }).length);
    }
    console.log(`200 calls of a server that crashes: ${JSON.stringify(counts)}`);
    expect((counts["outcome-unknown"] ?? 0) + (counts.unavailable ?? 0)).toBe(200);
    expect(counts["outcome-unknown"]).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1);
    expect((await done()).answered).toBeGreaterThan(0);
    expect((await fetch(`${site.operator}/readyz`)).status).toBe(200);
    expect(await gateway.end("SIGTERM")).toBe(0);
    expect(processes({ mark })).toEqual([]);
  });
});

test("disconnects a View that doesn't read, and lets it reconnect", {
  timeout: 90_000,
}, async () => {
  const site = await openSite();
  await startGateway(site);
  const done = others(site, await site.ticket());
  const ticket = await site.ticket("twin");
  const socket = await site.socket(ticket, "twin");
  const views = async () => {
    const metrics = await (await fetch(`${site.operator}/metrics`)).text();
    return /^vitrine_views (\d+)$/m.exec(metrics)?.[1];
  };
  expect(await views()).toBe("2");
  socket.socket.pause();
  for (let n = 0; n < 24; n++) {
    const params = { name: "look", arguments: { call: `large-${n}`, size: 900_000 } };
    socket.send({ jsonrpc: "2.0", id: n, method: "tools/call", params });
  }
  await expect.poll(views, { timeout: 40_000, interval: 200 }).toBe("1");
  const { slowest } = await done();
  expect(slowest).toBeLessThan(10_000);
  const again = await site.socket(ticket, "twin");
  expect(reasonOf(await call(again, "look", { call: "again" }))).toBe("answered");
  socket.socket.terminate();
});
