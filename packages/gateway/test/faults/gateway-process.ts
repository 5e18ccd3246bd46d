// The gateway as operators have it: a process of its own, of a configuration file, with a folder and a
// server that is a program.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { stringify } from "yaml";
import { type ReadRecord, readAudit } from "../../src/audit/index.ts";
import { openSqliteReader } from "../../src/engine/index.ts";
import { runCommand } from "../../src/service/command-line.ts";
import { collect, freePort } from "../service/stage.ts";
import { type Json, TestSocket } from "../stage.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const COUNTER = fileURLToPath(new URL("./children/counting-server.ts", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

export const TOKEN = "a-token-for-faults-0123456789abcdef";
export const VIEW = "ui://counter/view.html";

/** A folder, a configuration, and what was started of it. */
export interface Site {
  readonly folder: string;
  /** Of the engine. */
  readonly data: string;
  readonly file: string;
  readonly url: string;
  readonly operator: string;
  /** Calls as the server wrote them down. */
  journal(): Promise<{ process: number; call: string }[]>;
  records(): Promise<ReadRecord[]>;
  /** `audit verify`: its exit code and what it says. */
  verify(): Promise<{ code: number | undefined; out: string }>;
  /** A request of the user's own page. */
  post(path: string, body: object): Promise<{ status: number; body: Json }>;
  /** A View's ticket. */
  ticket(server?: string): Promise<string>;
  socket(ticket: string, server?: string): Promise<TestSocket>;
  /** The same, where its data lie elsewhere for who looks at them. */
  seenAt(data: string): Site;
}

/** Limits of one user, whom all Views of a test belong to. */
export const UNLIMITED = {
  viewPerMinute: 1e6,
  userPerMinute: 1e7,
  userAtOnce: 10_000,
  userSockets: 10_000,
  tenantSockets: 10_000,
};

export interface SiteOptions {
  config?: object;
  /** Next to the one that counts. */
  servers?: object;
}

export async function openSite({ config = {}, servers = {} }: SiteOptions = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-faults-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "gateway.yaml");
  const journal = join(folder, "journal");
  const [port, operatorPort] = [await freePort(), await freePort()];
  const counter = { command: [process.execPath, ...FLAGS, COUNTER, journal], sharing: "all" };
  const engine = { driver: "sqlite", folder: "data" };
  await writeFile(
    file,
    stringify({
      listen: { port },
      auth: { token: TOKEN },
      operator: { port: operatorPort },
      limits: UNLIMITED,
      engine,
      // The twin is another process of the same, started if somebody calls it.
      servers: { counter, twin: counter, ...servers },
      ...config,
    }),
  );
  const url = `http://localhost:${port}`;
  const post: Site["post"] = async (path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  };
  const seenAt = (place: string): Site => ({
    folder,
    file,
    url,
    post,
    seenAt,
    data: place,
    operator: `http://127.0.0.1:${operatorPort}`,
    journal: async () => {
      if (!existsSync(journal)) return [];
      const lines = (await readFile(journal, "utf8")).trimEnd().split("\n");
      return lines.map((line) => {
        const [pid, call = ""] = line.split(" ");
        return { process: Number(pid), call };
      });
    },
    records: async () => {
      const reader = openSqliteReader({ folder: await readableFolder(place) });
      return collect(readAudit(reader)).finally(() => reader.close());
    },
    verify: async () => {
      let out = "";
      const say = (text: string): void => {
        out += text;
      };
      const folder = await readableFolder(place);
      const code = await runCommand(["audit", "verify", "--folder", folder], {
        environment: {},
        out: say,
        err: say,
        signal: AbortSignal.timeout(30_000),
        onStart: () => {},
      });
      return { code, out };
    },
    ticket: async (server = "counter") => {
      const { status, body } = await post(`/servers/${server}/views`, { resource: VIEW });
      if (status !== 200) throw new Error(`No ticket: HTTP ${status} ${JSON.stringify(body)}`);
      return body.ticket;
    },
    socket: async (ticket, server = "counter") => {
      const protocols = ["vitrine.mcp.v1", `ticket.${ticket}`];
      const address = `${url.replace("http", "ws")}/servers/${server}/mcp`;
      const opened = new TestSocket(new WebSocket(address, protocols));
      opened.socket.on("error", () => {});
      await once(opened.socket, "open");
      await opened.until(({ vitrine }) => vitrine === "welcome");
      return opened;
    },
  });
  return seenAt(join(folder, "data"));
}

/** A gateway that runs. */
export interface RunningGateway {
  readonly pid: number;
  out(): string;
  err(): string;
  /** Sends a signal and waits for the end. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

export interface StartOptions {
  wrapper?: readonly string[];
  /** In place of the gateway's own; it gets the configuration as its last argument. */
  program?: readonly string[];
}

/** Starts the gateway of a site. `wrapper` is a command that runs it in another environment. */
export async function startGateway(
  site: Site,
  { wrapper = [], program = [MAIN, "start", "--config"] }: StartOptions = {},
): Promise<RunningGateway> {
  const started = [...wrapper, process.execPath, ...FLAGS, ...program, site.file];
  const [command = "", ...args] = started;
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const closed = once(child, "close").then(([status]) => status as number | null);
  await isListening(child, () => err);
  return {
    pid: child.pid as number,
    out: () => out,
    err: () => err,
    end: (signal) => {
      child.kill(signal);
      return closed;
    },
  };
}

async function isListening(child: ChildProcess, err: () => string): Promise<void> {
  while (!err().includes("Engine     ")) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${err()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process is there; one that nobody has waited for yet is dead all the same. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** A folder in the mounts of another process as a copy: SQLite resolves its path, and finds it isn't there. */
async function readableFolder(place: string): Promise<string> {
  if (!place.startsWith("/proc/")) return place;
  const copy = await mkdtemp(join(tmpdir(), "vitrine-copy-"));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  const files = ["gateway.db", "gateway.db-wal", "keys"].map((name) => join(place, name));
  spawnSync("cp", ["-r", ...files, copy]);
  return copy;
}
