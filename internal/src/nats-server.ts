// Real nats-servers for tests and benches: one node, or three that share JetStream, on loopback, each with
// ports and a data folder of its own. Processes started here are ended by their own process id.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** One node; its process can be frozen, killed and started again with the same ports and data. */
export interface NatsNode {
  readonly name: string;
  readonly url: string;
  /** Of the process that runs now; nothing while it is dead. */
  readonly pid: number | undefined;
  /** Stops the process where it is: sockets stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** Ends it in good order, as an operator does. */
  end(): Promise<void>;
  /** Starts it, after a kill if it still runs, and waits until it serves. */
  restart(): Promise<void>;
}

/** Nodes that belong together. */
export interface NatsServers {
  readonly nodes: readonly NatsNode[];
  readonly urls: string[];
  /** Resolves when JetStream takes requests: a leader is known, and all living nodes are well. */
  ready(): Promise<void>;
  /** Ends these processes and removes their data. */
  stop(): Promise<void>;
}

/** A started server. */
export interface NatsServerOptions {
  /** One, or three that form a cluster. */
  nodes?: 1 | 3;
  /** More lines for every node's configuration. */
  config?: string;
  /** What stands in the cluster block of a node, given where all of them are: the routes, unless told. */
  clusterOf?(node: number, routes: readonly string[]): Promise<string> | string;
  /** Another program than the one that is found. */
  binary?: string;
}

const INSTALL = "go install github.com/nats-io/nats-server/v2@v2.15.2";
const PATIENCE = 40_000;

/** The program: `NATS_SERVER`, Go's bin folder, or `PATH`. Throws with instructions if it isn't installed. */
export function findNatsServer(): string {
  const named = process.env.NATS_SERVER;
  const folders = [...goFolders(), ...(process.env.PATH ?? "").split(delimiter)];
  const places = named ? [named] : folders.map((folder) => join(folder, "nats-server"));
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  const where = named
    ? `NATS_SERVER names ${named}, which is not there`
    : "There is no nats-server";
  throw new Error(`${where}. Run \`${INSTALL}\`, or set NATS_SERVER to the program.`);
}

/** Starts nodes and waits until they can be used. */
export async function startNats(options: NatsServerOptions = {}): Promise<NatsServers> {
  const { nodes: count = 1, config = "", binary = findNatsServer() } = options;
  const folder = await mkdtemp(join(tmpdir(), "vitrine-nats-"));
  const ports = await freePorts(count * 3);
  const routes = ports.slice(0, count).map((port) => `nats://127.0.0.1:${port}`);
  const nodes: Node[] = [];
  for (let n = 0; n < count; n++) {
    const [route, client, monitor] = [ports[n], ports[count + n], ports[count * 2 + n]];
    const name = `n${n + 1}`;
    const ways = (await options.clusterOf?.(n, routes)) ?? `routes: ${JSON.stringify(routes)}`;
    const cluster = `cluster { name: trial, listen: "127.0.0.1:${route}", ${ways} }`;
    const lines = [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${client}"`,
      `http: "127.0.0.1:${monitor}"`,
      `jetstream { store_dir: ${JSON.stringify(join(folder, name))} }`,
      ...(count > 1 ? [cluster] : []),
      config,
    ];
    const file = join(folder, `${name}.conf`);
    await writeFile(file, `${lines.join("\n")}\n`);
    const command = [binary, "-c", file, "-l", join(folder, `${name}.log`)];
    nodes.push(new Node(name, { client: Number(client), monitor: Number(monitor), command }));
  }
  const servers: NatsServers = {
    nodes,
    urls: nodes.map(({ url }) => url),
    ready: () => becomeReady(nodes, folder),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    for (const node of nodes) node.start();
    await servers.ready();
    return servers;
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

class Node implements NatsNode {
  readonly name: string;
  readonly url: string;
  readonly #monitor: string;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;

  constructor(
    name: string,
    { client, monitor, command }: { client: number; monitor: number; command: string[] },
  ) {
    this.name = name;
    this.url = `nats://127.0.0.1:${client}`;
    this.#monitor = `http://127.0.0.1:${monitor}`;
    this.#command = command;
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null && !this.#child.signalCode ? this.#child.pid : undefined;
  }

  start(): void {
    const [program = "", ...args] = this.#command;
    const child = spawn(program, args, { stdio: "ignore" });
    // A test that dies without `stop` must not leave servers behind.
    const end = (): void => void child.kill("SIGKILL");
    process.once("exit", end);
    child.once("exit", () => process.off("exit", end));
    child.once("error", () => {});
    this.#child = child;
  }

  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  kill(): Promise<void> {
    return this.#stop("SIGKILL");
  }

  end(): Promise<void> {
    return this.#stop("SIGTERM");
  }

  async restart(): Promise<void> {
    await this.kill();
    this.start();
    await until(() => this.isWell(), `${this.name} did not come back`);
  }

  async #stop(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (this.pid === undefined || !this.#child) return;
    const gone = once(this.#child, "exit");
    this.#child.kill(signal);
    await gone;
  }

  /** Whether it says that it is well, JetStream included. */
  async isWell(): Promise<boolean> {
    return (await this.look("healthz"))?.status === "ok";
  }

  /** The response of its monitor; `undefined` without one. */
  async look(page: string): Promise<Record<string, unknown> | undefined> {
    try {
      const signal = AbortSignal.timeout(1_000);
      const answer = await fetch(`${this.#monitor}/${page}`, { signal });
      return (await answer.json()) as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }
}

interface Meta {
  leader?: string;
  replicas?: { current?: boolean; offline?: boolean }[];
}

async function becomeReady(nodes: readonly Node[], folder: string): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    const living = nodes.filter(({ pid }) => pid !== undefined);
    if (living.length === 0) throw new Error(`No node lives. ${await logsOf(nodes, folder)}`);
    if (living.length * 2 <= nodes.length) return false;
    for (const node of living) {
      if (!(await node.isWell())) return false;
      if (nodes.length > 1 && !(await knowsOthers(node, living.length - 1))) return false;
    }
    return true;
  };
  await until(isReady, "JetStream has no leader");
}

/** Whether a node has a leader; only the leader tracks the others. */
async function knowsOthers(node: Node, others: number): Promise<boolean> {
  const meta = (await node.look("jsz"))?.meta_cluster as Meta | undefined;
  if (!meta?.leader) return false;
  const here = meta.replicas?.filter(({ current, offline }) => current && !offline);
  return meta.leader !== node.name || here?.length === others;
}

async function logsOf(nodes: readonly Node[], folder: string): Promise<string> {
  const logs = nodes.map(({ name }) => readFile(join(folder, `${name}.log`), "utf8"));
  const texts = await Promise.all(logs.map((log) => log.catch(() => "")));
  return texts.join("\n").slice(-2_000);
}

async function until(isTrue: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${otherwise} within ${PATIENCE / 1_000} seconds.`);
}

/** Ports that are free now: all are held until the last is known, so that none comes twice. */
async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = held.map((server) => (server.address() as { port: number }).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Where `go install` puts programs. */
function goFolders(): string[] {
  const { GOBIN, GOPATH = join(homedir(), "go") } = process.env;
  return [...(GOBIN ? [GOBIN] : []), ...GOPATH.split(delimiter).map((path) => join(path, "bin"))];
}
