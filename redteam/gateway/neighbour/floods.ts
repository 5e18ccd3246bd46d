import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callText, type GatewayClient } from "../stage/client.ts";

/** Whom a flood comes from, where it goes, and when it ends. */
export interface FloodTarget {
  readonly clients: readonly GatewayClient[];
  readonly port: number;
  readonly signal: AbortSignal;
}

export type Flood = (target: FloodTarget) => Promise<void>;

const BODY = 4 * 2 ** 20;
/** All but the end of a body, in parts: one large write would keep a core from everyone else for milliseconds. */
const PARTS = Array.from({ length: 63 }, () => Buffer.alloc(2 ** 16, 0x20));
const NOTIFICATION = `{"jsonrpc":"2.0","method":"notifications/x","params":{"filler":"${"q".repeat(500)}"}}`;

/** What one tenant sends to make another one wait. */
export const FLOODS: Readonly<Record<string, Flood>> = {
  "refused calls": (target) =>
    pump(target, "go", (turn) => callText(`none${turn}`, { filler: "q".repeat(3000) }, turn)),
  notifications: (target) => pump(target, "go", () => NOTIFICATION),
  "stalled bodies": async ({ port, signal }) => {
    const hosts = ["evil.example", `127.0.0.1:${port}`];
    const sockets = Array.from({ length: 150 }, (_, at) => {
      const socket = open(port, `127.0.0.${20 + (at % 5)}`);
      socket.write(
        `POST /servers/go/mcp HTTP/1.1\r\nHost: ${hosts[at % 2]}\r\nContent-Type: application/json\r\nContent-Length: ${BODY}\r\n\r\n`,
      );
      for (const part of PARTS) socket.write(part);
      return socket;
    });
    await ended(signal);
    for (const socket of sockets) socket.destroy();
  },
  "slow calls": async ({ clients, signal }) => {
    await untilEnded(signal, async () => {
      const calls = clients.flatMap((client) =>
        Array.from({ length: 40 }, (_, id) => client.call("go", "slow", { ms: 2000 }, id)),
      );
      await Promise.race([Promise.allSettled(calls), ended(signal)]);
    });
  },
  sockets: async ({ clients, port, signal }) => {
    const sockets: Socket[] = [];
    await untilEnded(signal, async () => {
      for (let at = 0; at < 20 && sockets.length < 4000; at++) {
        const client = clients[at % clients.length];
        const credential = at % 4 === 0 ? "" : `, token.${client?.token}`;
        const socket = open(port, `127.0.0.${40 + (at % 4)}`);
        socket.write(
          `GET /servers/go/mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: vitrine.mcp.v1${credential}\r\n\r\n`,
        );
        sockets.push(socket);
      }
      await sleep(10);
    });
    for (const socket of sockets) socket.destroy();
  },
  blobs: async ({ clients, signal }) => {
    const blob = { note: "x".repeat(900_000), more: 1 };
    const calls = clients.flatMap((client) => [
      untilEnded(signal, () => client.call("go", "open", blob)),
      untilEnded(signal, () => client.openView("views", "ui://hostile/view")),
    ]);
    await Promise.all(calls);
  },
  "schema bombs": async ({ clients, signal }) => {
    const list = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    const calls = clients.flatMap((client) => [
      untilEnded(signal, () => client.call("bomb", "bomb")),
      untilEnded(signal, () => client.call("unique", "bomb", { list })),
    ]);
    await Promise.race([Promise.all(calls), ended(signal)]);
  },
};

/** Sends messages over four sockets of each user as quickly as they are taken. */
async function pump(
  { clients, signal }: FloodTarget,
  server: string,
  text: (turn: number) => string,
): Promise<void> {
  let turn = 0;
  const perSocket = clients.flatMap((client) => Array.from({ length: 4 }, () => client));
  await Promise.all(
    perSocket.map((client) =>
      untilEnded(signal, async () => {
        const socket = await client.socket(server);
        while (socket.isOpen && !signal.aborted) {
          for (let at = 0; at < 20 && socket.bufferedAmount < 2 ** 20; at++) {
            socket.send(text(++turn));
          }
          socket.received.length = 0;
          await sleep(1);
        }
        socket.close();
      }),
    ),
  );
}

/** Does something again and again; failures are what a flood expects. */
async function untilEnded(signal: AbortSignal, act: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await act().catch(() => sleep(20));
    // A connection that is rejected at once must not keep this process from receiving the stop message.
    await sleep(1);
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function open(port: number, localAddress: string): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  socket.resume();
  return socket;
}
