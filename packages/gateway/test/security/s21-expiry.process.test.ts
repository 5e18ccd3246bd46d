// A connection ends when the token or ticket that opened it expires, also while nothing is sent over it.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { onExpiry } from "../../src/identity/expiry.ts";
import { createTickets } from "../../src/identity/view-ticket.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { type Json, META, openStage, TestSocket, upstreamTo } from "../stage.ts";
import { startIssuer } from "./token-issuer.ts";

const READ = tool("read", { annotations: { readOnlyHint: true } });

async function open(tickets = {}) {
  const raw = await serveRaw([READ]);
  const issuer = await startIssuer();
  const secret = new Uint8Array(32).fill(7);
  const stage = await openStage({
    servers: { raw: { upstream: upstreamTo(raw.url) } },
    authenticate: issuer.authenticate,
    tickets: createTickets({ keys: [{ id: "a", secret }], ...tickets }),
  });
  const soon = Math.floor(Date.now() / 1000) + 2;
  const connect = async (credential: string): Promise<TestSocket & { reason?: string }> => {
    const protocols = ["vitrine.mcp.v1", credential];
    const address = `${stage.url.replace("http", "ws")}/servers/raw/mcp`;
    const socket: TestSocket & { reason?: string } = new TestSocket(
      new WebSocket(address, protocols),
    );
    socket.socket.on("close", (_code, reason) => {
      socket.reason = `${reason}`;
    });
    await socket.until((message) => message.vitrine === "welcome");
    return socket;
  };
  const dispose = async (): Promise<void> => {
    await stage[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
    await raw[Symbol.asyncDispose]();
  };
  return { raw, issuer, stage, soon, connect, [Symbol.asyncDispose]: dispose };
}

const calls = (requests: readonly { body: Json }[]): number =>
  requests.filter(({ body }) => body.method === "tools/call").length;

test("S21: an idle socket of a host ends when its user's token expires", async () => {
  await using scene = await open();
  const token = await scene.issuer.token("alice", scene.soon);
  const late = await scene.issuer.token("alice", scene.soon + 3600);
  const [short, long] = [
    await scene.connect(`token.${token}`),
    await scene.connect(`token.${late}`),
  ];
  await expect.poll(() => short.closed, { timeout: 5000 }).toBe(4401);
  expect(short.reason).toBe("token-expired");
  expect(Date.now()).toBeGreaterThanOrEqual(scene.soon * 1000);
  expect(long.closed).toBeUndefined();
});

test("S21: a call over a socket whose token has expired is never made", async () => {
  await using scene = await open();
  const socket = await scene.connect(`token.${await scene.issuer.token("alice", scene.soon)}`);
  const params = { name: "read", arguments: {}, _meta: META };
  expect((await socket.request("tools/call", params)).result).toBeDefined();
  await sleep(scene.soon * 1000 - Date.now() + 5);
  socket.send({ jsonrpc: "2.0", id: "late", method: "tools/call", params });
  await expect.poll(() => socket.closed, { timeout: 3000 }).toBe(4401);
  expect(socket.received.some(({ id }) => id === "late")).toBe(false);
  expect(calls(scene.raw.requests)).toBe(1);
});

test("S21: an idle socket of a view ends when its ticket expires", async () => {
  await using scene = await open({ lifetime: 2 });
  const token = await scene.issuer.token("alice", scene.soon + 3600);
  const { ticket } = await scene.stage.open("ui://raw/view.html", {}, token);
  const socket = await scene.connect(`ticket.${ticket}`);
  await expect.poll(() => socket.closed, { timeout: 5000 }).toBe(4401);
  expect(socket.reason).toBe("ticket-expired");
});

test("S21: a stream over HTTP ends when its token expires", async () => {
  await using scene = await open();
  const began = Date.now();
  const { status, text } = await scene.stage.post(
    "subscriptions/listen",
    { notifications: { toolsListChanged: true } },
    { token: await scene.issuer.token("alice", scene.soon) },
  );
  expect([status, text.includes("acknowledged")]).toEqual([200, true]);
  expect(Date.now() - began).toBeLessThan(20_000);
  expect(Date.now()).toBeGreaterThanOrEqual(scene.soon * 1000);
});

test("S21: a token that expires later than a timer can wait doesn't expire at once", async () => {
  let isOver = false;
  const stop = onExpiry(Date.now() + 60 * 24 * 3600 * 1000, () => {
    isOver = true;
  });
  await sleep(50);
  stop();
  expect(isOver).toBe(false);
});
