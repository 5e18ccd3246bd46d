import { once } from "node:events";
import { get } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openStage, type Stage } from "../../src/stage/stage.ts";

vi.setConfig({ hookTimeout: 60_000, testTimeout: 60_000 });

// Either of these ends `vitrine dev`.
const fatal: unknown[] = [];
const note = (error: unknown): void => void fatal.push(error);
let stage: Stage;
let page: number;
let views: number;
beforeAll(async () => {
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  stage = await openStage({ page: "dev", onPage: () => {} });
  page = Number(new URL(stage.url).port);
  views = Number(new URL(stage.sandbox.origins.proxy).port);
});
afterAll(async () => {
  process.off("uncaughtException", note);
  process.off("unhandledRejection", note);
  await stage.close();
});

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends bytes; the first line of the answer, or nothing when the connection ends without one. */
async function say(port: number, text: string): Promise<string> {
  const socket = await dial(port);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
    socket.destroy();
  });
  const closed = once(socket, "close");
  socket.write(text);
  await Promise.race([closed, sleep(2000)]);
  socket.destroy();
  return answer.split("\r\n")[0] ?? "";
}

/** The page is still served, and nothing happened that would have ended the process. */
async function expectAlive(): Promise<void> {
  await sleep(100);
  const [response] = await once(get({ port: page, host: "127.0.0.1", path: "/" }), "response");
  response.resume();
  expect(response.statusCode).toBe(200);
  expect(fatal.splice(0)).toEqual([]);
}

const upgrade = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;

test("S14: no request target ends the development server", async () => {
  const targets = [
    "//",
    "///",
    "//[",
    "/\\",
    "*",
    "http://",
    "http://[/",
    "/%",
    "/%zz",
    "/?",
    "\\",
  ];
  for (const port of [page, views]) {
    for (const target of targets) {
      await say(port, `GET ${target} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
      await say(port, upgrade(target));
    }
    const huge = `GET / HTTP/1.1\r\nHost: x\r\nx-large: ${"x".repeat(2 ** 21)}\r\n\r\n`;
    expect(await say(port, huge)).toMatch(/ 431 |^$/);
    expect(await say(port, "no HTTP at all\r\n\r\n")).toMatch(/ 400 /);
  }
  await expectAlive();
});

test("S14: connections that are reset during an upgrade don't end it", async () => {
  const target = new URL(stage.url);
  const key = new URLSearchParams(target.hash.slice(1)).get("key");
  const own = upgrade(`/link?key=${key}`).replace("Host: x", `Host: x\r\nOrigin: ${target.origin}`);
  for (const port of [page, views]) {
    const resets = Array.from({ length: 40 }, async (_, at) => {
      const socket = await dial(port);
      socket.write(at % 2 ? own : upgrade("/x"));
      await sleep(at % 5);
      // The last ones send a frame that no WebSocket has first.
      if (at > 30) socket.write(Buffer.alloc(64, 0xff));
      socket.resetAndDestroy();
    });
    await Promise.all(resets);
  }
  await expectAlive();
});

test("S14: a report whose body is reset halfway doesn't end it", async () => {
  const { host } = new URL(stage.sandbox.origins.proxy);
  for (let at = 0; at < 10; at += 1) {
    const socket = await dial(views);
    socket.write(
      `POST /r/${"a".repeat(22)} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/csp-report\r\nContent-Length: 500\r\n\r\n{"csp-report":`,
    );
    await sleep(30);
    socket.resetAndDestroy();
  }
  await expectAlive();
});
