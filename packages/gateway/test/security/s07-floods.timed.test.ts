import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { RATE_LIMITS } from "../../src/policy/checks/rate-limit.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";
import { type GatewayStage, openStage, TestSocket } from "../stage.ts";

/** A token is `tenant.user`. */
const authenticate = async (token: string) => {
  const [tenant = "", user = ""] = token.split(".");
  return { tenant, user };
};

async function openHostSocket(
  stage: GatewayStage,
  token: string,
  server = "station",
): Promise<TestSocket> {
  const url = `${stage.url.replace("http", "ws")}/servers/${server}/mcp`;
  const socket = new WebSocket(url, ["vitrine.mcp.v1", `token.${token}`]);
  const opened = new TestSocket(socket);
  socket.on("error", () => {});
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, { statusCode }) =>
      reject(new Error(`HTTP ${statusCode}`)),
    );
  });
  return opened;
}

/** Sends as fast as the other side reads. */
function flood(socket: WebSocket, text: () => string): { sent: number; stop(): void } {
  const told = { sent: 0, stop: () => clearInterval(timer) };
  const timer = setInterval(() => {
    while (socket.readyState === socket.OPEN && socket.bufferedAmount < 2 ** 20) {
      socket.send(text());
      told.sent += 1;
    }
  }, 5);
  return told;
}

/** An upstream whose answers have a size. */
function upstreamOf({ size = 0 } = {}): Upstream & { notifications: number } {
  return {
    id: "raw",
    kind: "http",
    notifications: 0,
    send: async ({ message: { id, method } }) => {
      const tools = [{ name: "t", inputSchema: { type: "object" } }];
      const result = method === "tools/list" ? { tools } : { content: [], x: "x".repeat(size) };
      return { message: { jsonrpc: "2.0", id, result } };
    },
    async notify() {
      this.notifications += 1;
    },
    discover: async () => ({ capabilities: { tools: {} } }) as never,
    listen: () => () => {},
    close: async () => {},
  };
}

describe("S7: floods", () => {
  test("S7: refused calls over four sockets are not read, and another tenant is served", async () => {
    await using stage = await openStage({ authenticate });
    const sockets = await Promise.all(
      Array.from({ length: 4 }, () => openHostSocket(stage, "evil.mallory")),
    );
    let id = 0;
    const padding = "q".repeat(3000);
    const floods = sockets.map(({ socket }) =>
      flood(socket, () =>
        JSON.stringify({
          ...{ jsonrpc: "2.0", id: ++id, method: "tools/call" },
          params: { name: `none${id}`, arguments: { padding } },
        }),
      ),
    );
    const times: number[] = [];
    const end = performance.now() + 3000;
    while (performance.now() < end) {
      const began = performance.now();
      const answer = await stage.post("server/discover", {}, { token: "acme.alice" });
      times.push(performance.now() - began);
      expect(answer.status).toBe(200);
      await sleep(20);
    }
    for (const { stop } of floods) stop();
    // Half a second's worth at once, and five times 20 a second.
    expect(stage.refusals.length).toBeGreaterThan(100);
    expect(stage.refusals.length).toBeLessThan(50 + 5 * 100);
    times.sort((a, b) => a - b);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(250);
    for (const { socket } of sockets) socket.terminate();
  }, 15_000);

  test("S7: a tenant's messages that came together don't all go before another tenant's", async () => {
    const order: string[] = [];
    await using stage = await openStage({
      authenticate,
      limits: { rates: { ...RATE_LIMITS, userPerMinute: 1e6, userAtOnce: 1000 } },
      recorder: {
        admit: () => undefined,
        refused: ({ caller }) => void order.push(caller.tenant),
        answered: () => {},
      },
    });
    const evil = await openHostSocket(stage, "evil.mallory");
    const alice = await openHostSocket(stage, "acme.alice");
    for (let n = 0; n < 1000; n++) evil.socket.send('{"jsonrpc":"1.0"}');
    alice.socket.send('{"jsonrpc":"1.0"}');
    const end = performance.now() + 4000;
    while (order.length < 1001 && performance.now() < end) await sleep(10);
    expect(order.length).toBe(1001);
    expect(order.indexOf("acme")).toBeLessThan(900);
    for (const { socket } of [evil, alice]) socket.terminate();
  });

  test("S7: a socket that floods for long is closed with 1013", async () => {
    await using stage = await openStage({ authenticate });
    const { socket } = await openHostSocket(stage, "evil.mallory");
    const flooding = flood(socket, () => `{"jsonrpc":"2.0","method":"x${"y".repeat(500)}"}`);
    const code = await new Promise((resolve) => socket.once("close", resolve));
    flooding.stop();
    expect([1006, 1013]).toContain(code);
  }, 20_000);

  test("S7: requests beyond the rate get 429 with Retry-After before their body is read", async () => {
    const rates = { ...RATE_LIMITS, userPerMinute: 60 };
    await using stage = await openStage({ authenticate, limits: { rates } });
    const post = () =>
      stage.post("server/discover", {}, { token: "evil.mallory", body: "not even JSON" });
    const answers = await Promise.all(Array.from({ length: 40 }, post));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(20);
    for (const { headers } of limited) expect(headers.get("retry-after")).toBe("1");
    // Unread messages aren't refusals of the pipeline.
    expect(stage.refusals.length).toBe(40 - limited.length);
    const other = await stage.post("server/discover", {}, { token: "evil.bob" });
    expect(other.status).toBe(200);
  });

  test("S7: a caller whose requests don't end is not read further", async () => {
    let judged = 0;
    const stuck = new Promise<void>(() => {});
    await using stage = await openStage({
      authenticate,
      limits: { rates: { ...RATE_LIMITS, userAtOnce: 4 } },
      // An audit log that is slow to take a record.
      recorder: {
        admit: () => undefined,
        refused: () => {
          judged += 1;
          return stuck;
        },
        answered: () => {},
      },
    });
    const { socket } = await openHostSocket(stage, "evil.mallory");
    for (let id = 0; id < 100; id++) socket.send(`{"jsonrpc":"1.0","id":${id}}`);
    await sleep(300);
    expect(judged).toBe(8);
    socket.terminate();
  });

  test("S7: a socket that doesn't read its responses is closed before they fill the memory", async () => {
    await using stage = await openStage({
      authenticate,
      servers: { raw: { upstream: upstreamOf({ size: 500_000 }), settings: { consent: "host" } } },
      limits: { message: 65_536, traffic: { bodyBytes: 2 ** 20 } },
    });
    const { socket } = await openHostSocket(stage, "evil.mallory", "raw");
    socket.pause();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    for (let id = 0; id < 64; id++) {
      socket.send(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{}}}`,
      );
    }
    const end = performance.now() + 4000;
    while (stage.gateway.views > 0 && performance.now() < end) await sleep(20);
    expect(stage.gateway.views).toBe(0);
    socket.resume();
    await closed;
  });
});

describe("S2: notifications", () => {
  test("S2: notifications count like requests", async () => {
    const upstream = upstreamOf();
    await using stage = await openStage({
      authenticate,
      servers: { raw: { upstream } },
      limits: { rates: { ...RATE_LIMITS, userPerMinute: 60 } },
    });
    const { socket } = await openHostSocket(stage, "evil.mallory", "raw");
    const text = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}';
    const began = performance.now();
    for (let n = 0; n < 100; n++) socket.send(text);
    await sleep(3000);
    // Ten at once and one a second, of the two and five a second that are read.
    expect(upstream.notifications).toBeGreaterThan(9);
    expect(upstream.notifications).toBeLessThan(12 + (performance.now() - began) / 1000);
    const status = async () =>
      (
        await stage.post(
          "notifications/roots/list_changed",
          {},
          { token: "evil.mallory", id: null },
        )
      ).status;
    expect(await Promise.all([status(), status(), status()])).toContain(429);
    socket.terminate();
  });
});
