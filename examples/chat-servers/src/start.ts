// Four MCP servers for a chat: ours over Streamable HTTP, an official one over stdio, one in Python over
// Streamable HTTP, and an old one over HTTP+SSE.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serveSse } from "@vitrine/internal/session-servers";
import { buildClock } from "./clock.ts";
import { buildTrips, defineTrips, TripEvents } from "./trips.ts";
import { serveTrips } from "./trips-site.ts";
import { buildViewPage } from "./view-page.ts";

/** A server as `mcp.json` of Claude and Cursor has it. */
export type ServerEntry =
  | { type: "http" | "sse"; url: string }
  | { command: string; args: string[] };

/** The servers while they run. */
export interface ChatServers {
  /** What `--servers mcp.json` takes. */
  mcpJson: { mcpServers: Record<"trips" | "everything" | "weather" | "clock", ServerEntry> };
  /** What happened on "trips", newest last: the same lines as its tool `last_events`. */
  events(): string[];
  /** Resolves when the Python server answers; rejects if Python or its SDK is missing. */
  weather: Promise<void>;
  close(): Promise<void>;
}

/** How the servers start. */
export interface ChatServersOptions {
  /** Port of "trips"; a free one by default. */
  port?: number;
  /** Wait for the Python server, whose first start installs its SDK; default true. */
  waitForPython?: boolean;
}

/** Starts all four. A client of `mcpJson` starts the one over stdio. */
export async function startChatServers({
  port = 0,
  waitForPython = true,
}: ChatServersOptions = {}): Promise<ChatServers> {
  const events = new TripEvents();
  const app = defineTrips(await buildViewPage(), events);
  const trips = await serveTrips(() => buildTrips(app, events), { port });
  const clock = await serveSse(() => buildClock().server);
  const python = await startWeather();
  let closing: Promise<void> | undefined;
  const servers: ChatServers = {
    mcpJson: {
      mcpServers: {
        trips: { type: "http", url: trips.url },
        everything: { command: process.execPath, args: [everythingProgram(), "stdio"] },
        weather: { type: "http", url: python.url },
        clock: { type: "sse", url: clock.url.href },
      },
    },
    events: () => events.list(),
    weather: python.ready,
    close() {
      closing ??= Promise.all([
        trips.close(),
        clock[Symbol.asyncDispose](),
        end(python.child),
      ]).then(() => undefined);
      return closing;
    },
  };
  // A chat that doesn't wait decides itself what a missing Python means.
  python.ready.catch(() => undefined);
  if (waitForPython) {
    await python.ready.catch(async (error) => {
      await servers.close();
      throw error;
    });
  }
  return servers;
}

function everythingProgram(): string {
  const manifest = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-everything/package.json",
  );
  return join(dirname(manifest), "dist", "index.js");
}

interface Weather {
  url: string;
  child: ChildProcess;
  ready: Promise<void>;
}

async function startWeather(): Promise<Weather> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      "--experimental-strip-types",
      "--no-warnings",
      fileURLToPath(new URL("weather-process.ts", import.meta.url)),
      `${port}`,
    ],
    { stdio: ["ignore", "ignore", "pipe", "ipc"] },
  );
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  return { url, child, ready: untilUp(url, child, () => complaint.trim()) };
}

async function untilUp(url: string, child: ChildProcess, complaint: () => string): Promise<void> {
  // Any response will do: a server that isn't there refuses the connection.
  const isUp = (): Promise<boolean> =>
    fetch(url, { method: "OPTIONS" }).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The Python server has ended. ${complaint()}`);
    }
    await wait(100);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill();
  await exit;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
