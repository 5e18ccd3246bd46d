// A gateway with hostile servers, and what watches from outside whether they succeed.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, existsSync, linkSync, mkdirSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { GatewayClient } from "../gateway/stage/client.ts";
import { processes } from "./processes.ts";

const MAIN = fileURLToPath(new URL("../../packages/gateway/src/main.ts", import.meta.url));
const HOSTILE = fileURLToPath(new URL("./hostile-server.mjs", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const TOKEN = "redteam-token-redteam-token-redteam-token";
/** The user of a gateway that root starts, as a service would. */
const USER = 1500;

/** The targets of the attacks. */
export interface Targets {
  gateway: number;
  folder: string;
  data: string;
  keys: string;
  /** A script of another server. */
  other: string;
  /** A process of the gateway's user. */
  decoy: number;
  service: number;
  socket: string;
  resolver: number;
}

/** The traces of attacks outside. */
export interface Seen {
  connections: number;
  queries: number;
  secrets: string[];
  exit: () => number | string | null;
  output: () => string;
}

/** A gateway with hostile servers. */
export interface Stage {
  targets: Targets;
  seen: Seen;
  mark(attack: string): string;
  /** Lets a server attack. Returns what it stole. */
  attack(name: string): Promise<string>;
  /** Ends all servers, as an operator does by a reload, and starts them again. Returns the processes that are left. */
  endServers(): Promise<number>;
  close(): Promise<void>;
}

/** Node where every user may run it: it may be in a home folder. */
export function publicNode(): string {
  const folder = `/var/tmp/vitrine-public-node-${process.version}`;
  const path = join(folder, "node");
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  try {
    linkSync(process.execPath, path);
  } catch {
    copyFileSync(process.execPath, path);
    chmodSync(path, 0o755);
  }
  return path;
}

/** Starts a gateway. Without isolation, its servers are ordinary processes of its user. */
export async function openStage(
  attacks: readonly string[],
  { isIsolated }: { isIsolated: boolean },
): Promise<Stage> {
  const folder = await mkdtemp("/var/tmp/vitrine-redteam-stdio-");
  chmodSync(folder, 0o755);
  const programs = join(folder, "servers");
  await mkdir(programs);
  const node = publicNode();
  const script = join(programs, "hostile-server.mjs");
  await cp(HOSTILE, script);
  const data = join(folder, "data");
  const other = join(folder, "other");
  await mkdir(other);
  await writeFile(join(other, "server.mjs"), "// the other server");
  const run = randomBytes(4).readUInt32BE();
  const marks = new Map(attacks.map((name, n) => [name, `${3_000_000 + (run % 1e6) * 100 + n}`]));
  const seen: Seen = {
    ...{ connections: 0, queries: 0, secrets: [], exit: () => null, output: () => "" },
  };
  const closers: (() => unknown)[] = [];
  const count = (): void => {
    seen.connections += 1;
  };
  const service = await listen(createServer(count), { port: 0 });
  const port = (service.address() as { port: number }).port;
  const socket = join(folder, "engine.sock");
  const abstract = marks.get("sockets") ?? "none";
  const more = [
    await listen(createServer(count), { port, host: "127.0.0.2" }),
    await listen(createServer(count), { path: socket, readableAll: true, writableAll: true }),
    await listen(createServer(count), { path: `\0${abstract}` }),
  ];
  closers.push(() => [service, ...more].map((each) => each.close()));
  const resolver = await listenDatagrams(() => {
    seen.queries += 1;
  });
  closers.push(() => resolver.close());
  // The secret of the neighbour is in the environment of another server's process.
  const secret = `CANARY-neighbour-${randomBytes(8).toString("hex")}`;
  const canary = `CANARY-gateway-${randomBytes(8).toString("hex")}`;
  const user = canSwitch(node) ? USER : undefined;
  if (user !== undefined) spawnSync("/bin/chown", ["-R", `${user}:${user}`, folder]);
  const decoy = start(["/bin/sleep", "600"], { env: { SECRET: secret }, user });
  closers.push(() => decoy.kill("SIGKILL"));
  const listenPort = await freePort();
  const targets: Targets = {
    ...{ gateway: 0, folder, data, keys: join(data, "keys"), other: join(other, "server.mjs") },
    ...{ decoy: decoy.pid ?? 0, service: port, socket, resolver: resolver.address().port },
  };
  const write = async (names: readonly string[]): Promise<void> => {
    const servers = names.map((name) => {
      const target = { ...targets, mark: marks.get(name) };
      return [name, { command: [node, script, name, JSON.stringify(target)], deadline: 30_000 }];
    });
    const isolation = { memory: "128Mi", disk: "64Mi", processes: 64 };
    const config = {
      listen: { port: listenPort },
      auth: { mode: "dev", token: TOKEN },
      engine: { folder: "data" },
      isolation: { runner: isIsolated ? "auto" : "none", ...isolation },
      servers: Object.fromEntries(servers),
    };
    await writeFile(join(folder, "gateway.yaml"), JSON.stringify(config), { mode: 0o600 });
    if (user !== undefined) chownSync(join(folder, "gateway.yaml"), user, user);
  };
  await write([]);
  const argv = [node, ...FLAGS, MAIN, "start", "--config", join(folder, "gateway.yaml")];
  const env = { PATH: "/usr/bin:/bin", CANARY: canary, HOME: folder };
  // Nothing it starts can take more than this, however an attack ends.
  const bound = ["/usr/bin/prlimit", "--nproc=1500", "--fsize=209715200", "--"];
  const gateway = start([...bound, ...argv], { env, user, cwd: folder });
  let output = "";
  for (const stream of [gateway.stdout, gateway.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  seen.exit = () => gateway.exitCode ?? gateway.signalCode;
  seen.output = () => output;
  closers.push(async () => {
    gateway.kill("SIGTERM");
    if (seen.exit() === null)
      await Promise.race([
        once(gateway, "exit"),
        sleep(10_000).then(() => gateway.kill("SIGKILL")),
      ]);
  });
  targets.gateway = gateway.pid ?? 0;
  const client = new GatewayClient({ port: listenPort, token: TOKEN });
  await until(
    () => isUp(listenPort),
    () => output,
  );
  const reloads = (): number => output.match(/configuration reloaded/g)?.length ?? 0;
  const reload = async (names: readonly string[]): Promise<void> => {
    const before = reloads();
    await write(names);
    await until(
      () => reloads() > before || seen.exit() !== null,
      () => output,
    );
  };
  await reload(attacks);
  const keys = await readdir(targets.keys);
  const texts = keys.map(async (name) => (await readFile(join(targets.keys, name), "utf8")).trim());
  seen.secrets = [...(await Promise.all(texts)), secret, canary, "SQLite format 3"];
  return {
    targets,
    seen,
    mark: (attack) => marks.get(attack) ?? "",
    attack: async (name) => {
      const { text } = await client.call(name, "attack").catch(() => ({ text: "" }));
      return text;
    },
    endServers: async () => {
      await reload([]);
      // The gateway gives a server this long to end by itself, and again after a signal.
      await sleep(2500);
      const left = processes(marks.get("survive") ?? "").length;
      await reload(attacks);
      return left;
    },
    close: async () => {
      for (const close of closers.reverse()) await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function start(
  argv: readonly string[],
  { env, user, cwd = "/" }: { env: Record<string, string>; user: number | undefined; cwd?: string },
): ChildProcess {
  const privileges = ["--clear-groups", "--inh-caps=-all", "--no-new-privs", "--bounding-set=-all"];
  const before =
    user === undefined
      ? []
      : ["/usr/bin/setpriv", `--reuid=${user}`, `--regid=${user}`, ...privileges, "--"];
  const [program = "", ...args] = [...before, ...argv];
  return spawn(program, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
}

function canSwitch(node: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const args = [`--reuid=${USER}`, `--regid=${USER}`, "--clear-groups", node, "--check", MAIN];
  return spawnSync("/usr/bin/setpriv", args).status === 0;
}

async function listen(server: Server, where: object): Promise<Server> {
  server.listen({ host: "path" in where ? undefined : "127.0.0.1", ...where });
  await once(server, "listening");
  return server;
}

async function listenDatagrams(onMessage: () => void): Promise<Socket> {
  const socket = createSocket("udp4", onMessage);
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

async function freePort(): Promise<number> {
  const server = await listen(createServer(), { port: 0 });
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isUp(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

async function until(
  isTrue: () => boolean | Promise<boolean>,
  detail: () => string,
  time = 60_000,
): Promise<void> {
  for (const end = Date.now() + time; Date.now() < end; await sleep(50)) {
    if (await isTrue()) return;
  }
  throw new Error(`The gateway isn't ready: ${detail().slice(-2000)}`);
}
