import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { preloadEdits } from "../without/preload.ts";

const MAIN = fileURLToPath(new URL("../../../packages/gateway/src/main.ts", import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const START_TIME = 60_000;
const LARGEST_OUTPUT = 2 ** 28;
/** Compiled sources are kept between starts, or each gateway takes a second more of the processor. */
const CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), "vitrine-redteam-cache") };

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A gateway as operators run it: a process with a configuration file. */
export interface GatewayProcess {
  readonly pid: number;
  /** Everything it wrote to standard output and standard error. */
  output(): string;
  /** The exit code once it ended. */
  exited(): number | null;
  /** Resident memory in MiB. */
  memory(): number;
  /** Descriptors that are open, which are connections for the most part. */
  descriptors(): number;
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export interface ProcessOptions {
  /** Path of the configuration file. */
  readonly config: string;
  /** Address of the health endpoint that is polled until the gateway is up. */
  readonly health: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Name of the defence to take away. */
  readonly without?: string | undefined;
}

/** Starts a gateway from source and waits until it answers. */
export async function startGatewayProcess(options: ProcessOptions): Promise<GatewayProcess> {
  const { config, health, environment = {}, without } = options;
  const preload = preloadEdits(without);
  const args = [...FLAGS, ...preload.args, MAIN, "start", "--config", config];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...CACHE, ...environment, ...preload.environment },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (data: string) => {
      output += data;
    });
  }
  const gateway: GatewayProcess = {
    pid: child.pid as number,
    output: () => output,
    exited: () => child.exitCode,
    memory: () => residentMemory(child.pid as number),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    stop: (signal = "SIGKILL") => stop(child, signal),
  };
  await untilHealthy(gateway, health);
  return gateway;
}

/** Runs another command of the gateway's program; its exit code and what it wrote. */
export function runGatewayCommand(
  words: readonly string[],
  { without }: { without?: string | undefined } = {},
): Promise<{ code: number; output: string }> {
  const preload = preloadEdits(without);
  const args = [...FLAGS, ...preload.args, MAIN, ...words];
  const env = { ...process.env, ...CACHE, ...preload.environment };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { env, maxBuffer: LARGEST_OUTPUT },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
      },
    );
  });
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resident memory of a process in MiB. */
export function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

async function stop(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

async function untilHealthy(gateway: GatewayProcess, health: string): Promise<void> {
  const end = performance.now() + START_TIME;
  while (performance.now() < end) {
    const isUp = await fetch(health).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    if (gateway.exited() !== null) break;
    await sleep(25);
  }
  await gateway.stop();
  throw new Error(`The gateway did not start: ${gateway.output().slice(-2000)}`);
}
