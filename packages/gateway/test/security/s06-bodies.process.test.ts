import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { RATE_LIMITS } from "../../src/policy/checks/rate-limit.ts";
import { openServiceStage } from "../service/stage.ts";
import { openStage, TOKEN } from "../stage.ts";

const mebi = 2 ** 20;

interface Stalled {
  socket: Socket;
  received: string;
  isClosed: boolean;
}

/** Opens a connection, sends something and then nothing more. */
function stall(port: number, text: string | Buffer, address = "127.0.0.1"): Stalled {
  const socket = connect({ port, host: "127.0.0.1", localAddress: address });
  const stalled: Stalled = { socket, received: "", isClosed: false };
  socket.on("data", (data) => {
    stalled.received += data;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    stalled.isClosed = true;
  });
  // Half a connection is one all the same.
  socket.on("end", () => socket.end());
  socket.write(text);
  return stalled;
}

function head(port: number, length: number, more: Record<string, string> = {}): string {
  const headers = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    "content-length": `${length}`,
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /servers/station/mcp HTTP/1.1\r\n${lines.join("")}\r\n`;
}

async function until(isTrue: () => boolean, time: number): Promise<boolean> {
  for (const end = performance.now() + time; performance.now() < end; await sleep(20)) {
    if (isTrue()) return true;
  }
  return isTrue();
}

describe("S6: a body is read for admitted callers alone", () => {
  test.each([
    ["a wrong Host", { host: "evil.example", authorization: `Bearer ${TOKEN}` }, 421],
    ["a foreign origin", { origin: "https://evil.example", authorization: `Bearer ${TOKEN}` }, 403],
    ["no credential", {}, 401],
    ["a wrong token", { authorization: "Bearer wrong" }, 401],
    ["another content type", { "content-type": "a/b", authorization: `Bearer ${TOKEN}` }, 415],
    ["too long a body", { "content-length": "9000000", authorization: `Bearer ${TOKEN}` }, 413],
  ])("S6: %s is refused while the body is on its way", async (_name, more, status) => {
    await using stage = await openStage();
    const one = stall(stage.port, head(stage.port, mebi, more));
    expect(await until(() => one.isClosed, 1500)).toBe(true);
    expect(one.received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each(["POST /nothing", "DELETE /servers/station/mcp", "OPTIONS /servers/station/mcp"])(
    "S6: %s is answered before its body arrives",
    async (line) => {
      await using stage = await openStage();
      const one = stall(
        stage.port,
        `${line} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${mebi}\r\n\r\n`,
      );
      expect(await until(() => one.isClosed, 1500)).toBe(true);
      expect(one.received).toMatch(/^HTTP\/1.1 4/);
    },
  );

  test("S6: bodies of one user fill a share of the budget, and another user's call still fits", async () => {
    await using stage = await openStage({
      authenticate: async (token) => ({ tenant: "t", user: token }),
      limits: {
        requestTime: 3000,
        rates: { ...RATE_LIMITS, userPerMinute: 1e6 },
        traffic: { bodyBytes: 8 * mebi },
      },
    });
    const { port } = stage;
    const authorization = "Bearer mallory";
    const all = Array.from({ length: 8 }, () =>
      stall(port, head(port, mebi - 10, { authorization })),
    );
    expect(await until(() => all.filter(({ isClosed }) => isClosed).length === 7, 1500)).toBe(true);
    expect(all.filter(({ received }) => / 503 /.test(received))).toHaveLength(7);
    expect((await stage.post("server/discover", {}, { token: "alice" })).status).toBe(200);
    for (const { socket } of all) socket.destroy();
    // What a broken request had taken is given back.
    await sleep(50);
    expect((await stage.post("server/discover", {}, { token: "mallory" })).status).toBe(200);
  });
});

describe("S6: connections that stall", () => {
  test("S6: heads and bodies that stall are closed in time, at every port", async () => {
    await using stage = await openServiceStage({
      limits: { requestTime: 1000 },
      operator: { port: 0 },
    });
    const port = Number(new URL(stage.service.url).port);
    const { authorization } = { authorization: `Bearer ${stage.config.auth.token}` };
    const stalled = [
      stall(port, ""),
      stall(port, "POST /servers/station/mcp HTTP/1.1\r\nhost:"),
      stall(port, head(port, 1000, { authorization })),
      stall(port, head(port, 1000)),
    ];
    expect(await until(() => stalled.every(({ isClosed }) => isClosed), 4000)).toBe(true);
  }, 10_000);

  test("S6: 3,000 stalled connections are closed, and cost less than 50 MiB", async () => {
    await using stage = await openStage({ limits: { requestTime: 2000 } });
    const { port } = stage;
    const before = process.memoryUsage().rss;
    let opened = 0;
    let closed = 0;
    let most = 0;
    for (let n = 0; n < 3000; n++) {
      const one = stall(port, "POST /servers/station/mcp HTTP/1.1\r\nhost: x\r\ncontent-length: 9");
      one.socket.once("connect", () => opened++);
      one.socket.once("close", () => closed++);
      if (n % 100 > 0) continue;
      await sleep(20);
      most = Math.max(most, process.memoryUsage().rss);
    }
    expect(await until(() => closed === 3000, 20_000)).toBe(true);
    expect(opened).toBe(3000);
    // The attacker's half is in this process too, so the gateway's is smaller still.
    expect(most - before).toBeLessThan(50 * mebi);
    expect((await stage.post("server/discover")).status).toBe(200);
  }, 60_000);

  test("S6: a new connection replaces the one of its address that is idle longest", async () => {
    await using stage = await openStage({
      limits: { requestTime: 3000, connections: { connectionsPerAddress: 4 } },
    });
    const elsewhere = stall(stage.port, "GET / HTTP/1.1\r\n", "127.0.0.7");
    await until(() => elsewhere.socket.bytesWritten > 0, 1000);
    const all: Stalled[] = [];
    for (let n = 0; n < 8; n++) {
      const one = stall(stage.port, "GET / HTTP/1.1\r\n");
      await new Promise((resolve) => one.socket.once("connect", resolve));
      all.push(one);
    }
    expect(await until(() => all.filter(({ isClosed }) => isClosed).length === 4, 1000)).toBe(true);
    expect(all.slice(4).every(({ isClosed }) => !isClosed)).toBe(true);
    expect(elsewhere.isClosed).toBe(false);
    expect((await stage.post("server/discover")).status).toBe(200);
    for (const { socket } of [...all, elsewhere]) socket.destroy();
  });
});
