import { setTimeout as sleep } from "node:timers/promises";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createTickets } from "../../src/identity/view-ticket.ts";
import type { Upstream, UpstreamCall } from "../../src/upstreams/upstream.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { type Json, openStage, TOKEN, upstreamTo } from "../stage.ts";

const VIEW = "ui://raw/view.html";
const settings = { consent: "host" } as const;

/** A raw server whose calls wait for the test. */
async function openHeld() {
  const raw = await serveRaw([tool("t")]);
  const held: ((result: Json) => void)[] = [];
  raw.answers["tools/call"] = () => new Promise((resolve) => held.push(resolve));
  const stage = await openStage({ servers: { raw: { upstream: upstreamTo(raw.url), settings } } });
  return {
    raw,
    stage,
    held,
    [Symbol.asyncDispose]: async () => {
      for (const answer of held) answer({ content: [] });
      await stage[Symbol.asyncDispose]();
      await raw[Symbol.asyncDispose]();
    },
  };
}

describe("a View's WebSocket", () => {
  test("responds under the request's id, in any order", async () => {
    await using scene = await openHeld();
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    for (const id of [0, "0", "a", 7]) {
      socket.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t" } });
    }
    await expect.poll(() => scene.held.length).toBe(4);
    for (const [at, answer] of scene.held.reverse().entries()) answer({ content: [], n: at });
    for (const id of [0, "0", "a", 7]) {
      const { result } = await socket.until((message) => message.id === id);
      expect(result.content).toEqual([]);
    }
  });

  test("rejects a request with the id of a request in progress", async () => {
    await using scene = await openHeld();
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    for (let n = 0; n < 2; n++) {
      socket.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } });
    }
    const { error } = await socket.until((message) => message.id === 1);
    expect(error.data.reason).toBe("malformed");
    expect(scene.held).toHaveLength(1);
  });

  test("cancels a call at the server when the View cancels it", async () => {
    await using stage = await openStage({ settings });
    const { ticket } = await stage.open(STATION_VIEW);
    const socket = await stage.socket(ticket);
    const params = { name: "slow", arguments: { id: "mine" }, _meta: { progressToken: 1 } };
    socket.send({ jsonrpc: "2.0", id: "x", method: "tools/call", params });
    await socket.until((message) => message.method === "notifications/progress");
    socket.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } });
    await expect
      .poll(async () => {
        const { result } = await socket.request("tools/call", { name: "aborted" });
        return result.content[0].text;
      })
      .toContain("mine");
  });

  test("sends missed responses once to a client that reconnects with the same ticket", async () => {
    await using scene = await openHeld();
    const { ticket } = await scene.stage.open(VIEW);
    const first = await scene.stage.socket(ticket);
    first.send({ jsonrpc: "2.0", id: "a", method: "tools/call", params: { name: "t" } });
    first.send({ jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "t" } });
    await expect.poll(() => scene.held.length).toBe(2);
    first.socket.terminate();
    await expect.poll(() => scene.stage.gateway.views).toBe(0);
    scene.held[0]?.({ content: [] });
    await sleep(50);
    const second = await scene.stage.socket(ticket);
    const { pending } = await second.until((message) => message.vitrine === "welcome");
    expect([...pending].sort()).toEqual(["a", "b"]);
    await second.until((message) => message.id === "a");
    scene.held[1]?.({ content: [] });
    await second.until((message) => message.id === "b");
    const third = await scene.stage.socket(ticket);
    expect((await third.until((message) => message.vitrine === "welcome")).pending).toEqual([]);
    const calls = scene.raw.requests.filter(({ body }) => body.method === "tools/call");
    expect(calls).toHaveLength(2);
  });

  test("receives changes of its server's lists", async () => {
    await using stage = await openStage({ settings });
    const { ticket } = await stage.open(STATION_VIEW);
    const socket = await stage.socket(ticket);
    await expect
      .poll(
        async () => {
          await socket.request("tools/call", { name: "change", arguments: { list: "tools" } });
          return socket.received.map(({ method }) => method);
        },
        { timeout: 5000 },
      )
      .toContain("notifications/tools/list_changed");
  });

  test("receives responses of every size unchanged", async () => {
    await using scene = await openHeld();
    scene.raw.answers["tools/call"] = ({ arguments: { text } }: Json) => ({ content: [], text });
    const { ticket } = await scene.stage.open(VIEW);
    const socket = await scene.stage.socket(ticket);
    // The head of a frame has another shape from 126 bytes on, and from 65,536; 84 are not text.
    const lengths = [126, 65_536].flatMap((turn) =>
      Array.from({ length: 20 }, (_, n) => turn - 94 + n),
    );
    for (const length of lengths) {
      const text = `ä${"x".repeat(length)}`;
      const { result } = await socket.request("tools/call", { name: "t", arguments: { text } });
      expect(result.text).toBe(text);
    }
  }, 20_000);

  test("only accepts text messages", async () => {
    await using stage = await openStage({ settings });
    const { ticket } = await stage.open(STATION_VIEW);
    const socket = await stage.socket(ticket);
    socket.socket.send(Buffer.from([1, 2, 3]));
    await expect.poll(() => socket.closed).toBe(1003);
  });
});

/** Tells progress as fast as it can, for as long as it is asked to. */
function floodingUpstream(messages: number, size: number): Upstream {
  const answer = (call: UpstreamCall, result: Json) => {
    return { message: { jsonrpc: "2.0" as const, id: call.message.id, result } };
  };
  return {
    id: "flood",
    kind: "http",
    send: async (call) => {
      if (call.message.method === "tools/list") {
        return answer(call, { tools: [tool("t")], ttlMs: 60_000, cacheScope: "public" });
      }
      if (call.message.method === "resources/read") {
        return answer(call, { contents: [{ uri: VIEW, text: "<!doctype html>" }] });
      }
      const padding = "x".repeat(size);
      for (let n = 1; n <= messages; n++) {
        const params = { progressToken: 1, progress: n, message: padding };
        call.onNotification?.({ jsonrpc: "2.0", method: "notifications/progress", params });
        if (n % 100 === 0) await sleep(0);
      }
      return answer(call, { content: [] });
    },
    notify: async () => {},
    discover: async () => ({ capabilities: {} }) as never,
    listen: () => () => {},
    close: async () => {},
  };
}

describe("a View that does not read", () => {
  test("uses bounded memory: progress is coalesced, and the response follows it", async () => {
    const upstream = floodingUpstream(20_000, 1000);
    await using stage = await openStage({ servers: { raw: { upstream, settings } } });
    const { ticket } = await stage.open(VIEW);
    const socket = await stage.socket(ticket);
    socket.socket.pause();
    const before = process.memoryUsage();
    socket.send({ jsonrpc: "2.0", id: "x", method: "tools/call", params: { name: "t" } });
    // The first was the reading of the View.
    await expect.poll(() => stage.outcomes.length, { timeout: 20_000 }).toBe(2);
    const after = process.memoryUsage();
    const grown = after.external + after.arrayBuffers - before.external - before.arrayBuffers;
    // Twenty megabytes were said; what lies here is what the socket took before it was slow.
    expect(grown).toBeLessThan(8 * 2 ** 20);
    socket.socket.resume();
    await socket.until((message) => message.id === "x", 10_000);
    const told = socket.received.filter(({ method }) => method === "notifications/progress");
    expect(told.length).toBeLessThan(10_000);
  }, 40_000);
});

describe("many clients that reconnect at once", () => {
  test("are accepted at a limited rate, and the others get a retry time", async () => {
    const tickets = createTickets({
      keys: [{ id: "a", secret: new Uint8Array(32).fill(7) }],
    });
    const upstream = floodingUpstream(0, 0);
    await using stage = await openStage({
      tickets,
      servers: { raw: { upstream, settings } },
      limits: { acceptsPerSecond: 20, traffic: { ticketSockets: 600, userSockets: 600 } },
    });
    const { ticket } = await stage.open(VIEW);
    const url = `${stage.url.replace("http", "ws")}/servers/raw/mcp`;
    const knock = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, ["vitrine.mcp.v1", `ticket.${ticket}`]);
        socket.once("open", () => {
          socket.terminate();
          resolve("open");
        });
        socket.once("unexpected-response", (_request, response) => {
          resolve(`${response.statusCode} ${response.headers["retry-after"] ? "later" : ""}`);
        });
        socket.once("error", () => resolve("error"));
      });
    const answers = await Promise.all(Array.from({ length: 600 }, knock));
    const count = (answer: string) => answers.filter((each) => each === answer).length;
    expect(count("open")).toBeGreaterThanOrEqual(20);
    expect(count("503 later")).toBeGreaterThan(0);
    expect(count("open") + count("503 later")).toBe(600);
    const answer = await fetch(`${stage.url}/servers/raw/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    expect(answer.status).toBe(200);
  }, 30_000);
});
