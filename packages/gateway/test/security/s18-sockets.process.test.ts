import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type GatewayStage, openStage } from "../stage.ts";

const authenticate = async (token: string) => {
  const [tenant = "", user = ""] = token.split(".");
  return { tenant, user };
};

interface Opened {
  status: number | "open";
  retryAfter?: string | undefined;
  socket: WebSocket;
}

function knock(stage: GatewayStage, credential: string, localAddress?: string): Promise<Opened> {
  const url = `${stage.url.replace("http", "ws").replace("localhost", "127.0.0.1")}/servers/station/mcp`;
  const socket = new WebSocket(url, ["vitrine.mcp.v1", credential], {
    ...(localAddress && { localAddress }),
  });
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("open", () => resolve({ status: "open", socket }));
    socket.once("unexpected-response", (request, response) => {
      const retryAfter = response.headers["retry-after"];
      resolve({ status: response.statusCode ?? 0, retryAfter, socket });
      request.destroy();
    });
  });
}

describe("S18: sockets", () => {
  test("S18: one ticket holds sixteen sockets, and each that closes makes room", async () => {
    await using stage = await openStage();
    const { ticket } = await stage.open(STATION_VIEW);
    const all = await Promise.all(
      Array.from({ length: 20 }, () => knock(stage, `ticket.${ticket}`)),
    );
    const open = all.filter(({ status }) => status === "open");
    expect(open).toHaveLength(16);
    expect(all.find(({ status }) => status !== "open")).toMatchObject({
      status: 503,
      retryAfter: "5",
    });
    open[0]?.socket.terminate();
    await sleep(100);
    expect((await knock(stage, `ticket.${ticket}`)).status).toBe("open");
    expect((await knock(stage, `ticket.${ticket}`)).status).toBe(503);
  });

  test("S18: a user and a tenant hold so many sockets, and other tenants still connect", async () => {
    await using stage = await openStage({
      authenticate,
      limits: { traffic: { userSockets: 3, tenantSockets: 5 } },
    });
    const statuses = async (token: string) => {
      const all = await Promise.all(
        Array.from({ length: 4 }, () => knock(stage, `token.${token}`)),
      );
      return all.map(({ status }) => status).sort();
    };
    expect(await statuses("evil.mallory")).toEqual([503, "open", "open", "open"]);
    expect(await statuses("evil.bob")).toEqual([503, 503, "open", "open"]);
    expect(await statuses("acme.mallory")).toEqual([503, "open", "open", "open"]);
  });

  test("S18: clients without a credential don't use up the accept rate of authenticated ones", async () => {
    await using stage = await openStage({ authenticate, limits: { acceptsPerSecond: 10 } });
    const head =
      "GET /servers/station/mcp HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    for (let n = 0; n < 200; n++) {
      // By a wrong name, and by the right one without a token.
      const host = n % 2 ? "Host: x\r\n\r\n" : `Host: 127.0.0.1:${stage.port}\r\n\r\n`;
      connect(stage.port, "127.0.0.1")
        .on("error", () => {})
        .write(head + host);
    }
    await sleep(300);
    const began = performance.now();
    expect((await knock(stage, "token.acme.alice")).status).toBe("open");
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test("S18: the turns of one address are not those of another", async () => {
    await using stage = await openStage({ authenticate, limits: { acceptsPerSecond: 10 } });
    const flood = Array.from({ length: 100 }, () => knock(stage, "token.a.b", "127.0.0.9"));
    await sleep(200);
    const began = performance.now();
    expect((await knock(stage, "token.acme.alice")).status).toBe("open");
    expect(performance.now() - began).toBeLessThan(5000);
    const answers = await Promise.all(flood);
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(20);
  }, 10_000);

  test("S18: a refused upgrade leaves no half of a connection open", async () => {
    await using stage = await openStage();
    const socket = connect({ port: stage.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.resume();
    socket.write(
      `GET /servers/station/mcp HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\nConnection: Upgrade\r\n` +
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await new Promise((resolve) => socket.once("end", resolve));
    await sleep(100);
    const { server } = stage.gateway.http;
    const open = await new Promise((resolve) =>
      server.getConnections((_error, count) => resolve(count)),
    );
    expect(open).toBe(0);
    socket.destroy();
  });
});
