import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type GatewayAttack, unless, unlessTried } from "../attack.ts";
import { callText } from "../stage/client.ts";

/** Attacks on connections: before a caller is known, and after its credential ended. */
export const EDGE_ATTACKS: readonly GatewayAttack[] = [
  {
    id: "unread-bodies",
    entries: [158],
    finding: "S6",
    title: "bodies of callers nobody knows aren't kept in memory",
    run: async (stage) => {
      const gateway = await stage.start();
      const before = gateway.process.memory();
      const size = 4 * 2 ** 20;
      const head = `POST /servers/none/mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
      const sockets = Array.from({ length: 60 }, () => {
        const socket = openSocket(gateway.port);
        socket.write(head);
        socket.write(Buffer.alloc(size - 1024, 0x20));
        return socket;
      });
      await sleep(4000);
      const grown = gateway.process.memory() - before;
      const open = sockets.filter(({ destroyed }) => !destroyed).length;
      for (const socket of sockets) socket.destroy();
      return [
        ...unless(grown < 80, `60 stalled bodies took ${grown} MiB`),
        ...unless(open === 0, `${open} of 60 connections are still open after 4 s`),
      ];
    },
  },
  {
    id: "refused-flood",
    entries: [159],
    finding: "S7",
    title: "a flood of refused calls neither stops another tenant nor its audit records",
    run: async (stage) => {
      const gateway = await stage.start();
      const alice = gateway.client("acme", "alice");
      const mallory = gateway.client("bravo", "mallory");
      await alice.call("go", "open");
      const before = gateway.process.memory();
      const sockets = await Promise.all(Array.from({ length: 4 }, () => mallory.socket("go")));
      const end = performance.now() + 4000;
      let sent = 0;
      const flood = async () => {
        for (let turn = 0; performance.now() < end; turn++) {
          const socket = sockets[turn % sockets.length];
          if (socket && socket.bufferedAmount < 2 ** 20) {
            socket.send(callText(`none${++sent}`, { filler: "q".repeat(3000) }, sent));
          }
          if (turn % 20 === 0) await sleep(1);
        }
      };
      const times: number[] = [];
      const failed: string[] = [];
      const work = async () => {
        while (performance.now() < end) {
          const { status, text, milliseconds } = await alice.call("go", "open");
          times.push(milliseconds);
          if (status !== 200 || !text.includes("ran open")) failed.push(text.slice(0, 120));
          await sleep(50);
        }
      };
      await Promise.all([flood(), work()]);
      const grown = gateway.process.memory() - before;
      const slowest = Math.max(...times);
      for (const socket of sockets) socket.close();
      const records = await gateway.records();
      const answered = records.filter(
        ({ event, actor }) => event === "answer" && (actor as Actor)?.user === "alice",
      ).length;
      return [
        ...unlessTried(sent > 500, `only ${sent} calls were sent`),
        ...unless(failed.length === 0, `${failed.length} of acme's calls failed: ${failed[0]}`),
        ...unless(slowest < 1500, `a call of acme's took ${slowest.toFixed(0)} ms`),
        ...unless(grown < 150, `memory grew by ${grown} MiB`),
        ...unless(answered >= times.length, `${times.length} calls left ${answered} records`),
      ];
    },
  },
  {
    id: "upgrade-flood",
    entries: [165],
    finding: "S18",
    title: "upgrades without a credential don't use up the places of users",
    run: async (stage) => {
      const gateway = await stage.start();
      const alice = gateway.client("acme", "alice");
      const head =
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
      let knocks = 0;
      const timer = setInterval(() => {
        for (let at = 0; at < 12; at++) {
          knocks += 1;
          const socket = openSocket(gateway.port, "127.0.0.9");
          socket.write(head, () => setTimeout(() => socket.destroy(), 30));
        }
      }, 10);
      await sleep(4000);
      const waits: number[] = [];
      let refused = 0;
      for (let at = 0; at < 5; at++) {
        const before = performance.now();
        const socket = await alice.socket("go").catch(() => undefined);
        if (socket) waits.push(performance.now() - before);
        else refused += 1;
        socket?.close();
      }
      clearInterval(timer);
      return [
        ...unlessTried(knocks > 2500, `only ${knocks} upgrades were tried`),
        ...unless(refused === 0, `${refused} of 5 sockets of a user were refused`),
        ...unless(
          Math.max(0, ...waits) < 1500,
          `a user waited ${Math.max(...waits).toFixed(0)} ms`,
        ),
      ];
    },
  },
  {
    id: "sockets-of-a-ticket",
    entries: [165],
    finding: "S18",
    title: "one ticket doesn't hold hundreds of sockets",
    run: async (stage) => {
      const gateway = await stage.start();
      const mallory = gateway.client("bravo", "mallory");
      const ticket = await mallory.ticket("js", "ui://hostile/view");
      const opened = [];
      for (let round = 0; round < 8; round++) {
        const some = Array.from({ length: 50 }, () =>
          mallory.socket("js", `ticket.${ticket}`).catch(() => undefined),
        );
        opened.push(...(await Promise.all(some)));
      }
      await sleep(200);
      const open = opened.filter((socket) => socket?.isOpen).length;
      for (const socket of opened) socket?.close();
      return [
        ...unlessTried(open > 0, "no socket was opened"),
        ...unless(open <= 100, `one ticket holds ${open} sockets`),
      ];
    },
  },
  {
    id: "expired-token",
    entries: [168],
    finding: "S21",
    title: "a host's socket ends with its user's token",
    run: async (stage) => {
      const gateway = await stage.shared();
      const socket = await gateway.client("bravo", "mallory", { seconds: 3 }).socket("go");
      socket.send(callText("open", {}, "before"));
      const before = await socket.until((text) => text.includes('"before"'), 2500);
      await sleep(4500);
      socket.send(callText("open", {}, "after"));
      const after = await socket.until((text) => text.includes('"after"'), 1000);
      const isOpen = socket.isOpen;
      socket.close();
      return [
        ...unlessTried(before?.includes("ran open"), `the first call ended with ${before}`),
        ...unless(!after?.includes("ran open"), "a call ran after the token had expired"),
        ...unless(!isOpen, "the socket is open after the token has expired"),
      ];
    },
  },
];

interface Actor {
  readonly tenant: string;
  readonly user: string;
}

/** A TCP connection whose failures don't matter. */
function openSocket(port: number, localAddress = "127.0.0.1"): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  // Else an answer that nobody reads keeps the connection open.
  socket.resume();
  return socket;
}
