import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SendRedisCommand } from "../src/stores/redis-store.ts";

/** Whether the program is installed: Debian's package redis-server. */
export const HAS_REDIS: boolean = (() => {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** A real server for one file of tests. */
export interface RunningRedis {
  /** Opens a connection. */
  connect(): Promise<{ send: SendRedisCommand; close(): void }>;
  stop(): Promise<void>;
}

/** Starts a server on a free port that keeps nothing on the disk. */
export async function startRedis(...options: string[]): Promise<RunningRedis> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-redis-"));
  const port = await freePort();
  const line = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--dir", folder];
  const child: ChildProcess = spawn("redis-server", [...line, ...options], { stdio: "ignore" });
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return { send: createSend(socket), close: () => void socket.destroy() };
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      (await open()).close();
      break;
    } catch (error) {
      if (attempt > 200) throw error;
      await new Promise((done) => setTimeout(done, 25));
    }
  }
  return {
    connect: open,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await once(server.close(), "close");
  return port;
}

/** The part of the protocol that the commands of the store need. */
function createSend(socket: Socket): SendRedisCommand {
  const waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  let buffer = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let reply = readReply(buffer); reply; reply = readReply(buffer)) {
      buffer = buffer.subarray(reply.length);
      const { value } = reply;
      const next = waiting.shift();
      if (value instanceof Error) next?.reject(value);
      else next?.resolve(value);
    }
  });
  return (command) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      const parts = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
      socket.write(`*${command.length}\r\n${parts.join("")}`);
    });
}

function readReply(buffer: Buffer): { value: unknown; length: number } | undefined {
  const end = buffer.indexOf("\r\n");
  if (end < 0) return undefined;
  const [kind, line] = [buffer.toString("utf8", 0, 1), buffer.toString("utf8", 1, end)];
  const length = end + 2;
  if (kind === "-") return { value: new Error(line), length };
  if (kind === ":") return { value: Number(line), length };
  if (kind === "+") return { value: line, length };
  const size = Number(line);
  if (size < 0) return { value: null, length };
  if (buffer.length < length + size + 2) return undefined;
  return { value: buffer.toString("utf8", length, length + size), length: length + size + 2 };
}
