// One gateway as operators run it: a process with a configuration file.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The main file of this program. */
export const MAIN = fileURLToPath(new URL("../../../gateway/src/main.ts", import.meta.url));

/** The flags that Node needs to run the sources. */
export const FLAGS = [
  "--experimental-strip-types",
  "--no-warnings",
  "--conditions=@vitrine/source",
];

/** One of the gateways. */
export interface GatewayProcess {
  readonly name: string;
  readonly url: string;
  /** The address of metrics and health checks. */
  readonly operator: string;
  readonly file: string;
  readonly pid: number;
  isRunning(): boolean;
  /** Whether it runs and has reported that. */
  isReady(): boolean;
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** The main file of the program that it starts. */
  program: string;
  /** Starts it, and restarts it if it exits, as a process supervisor does. */
  start(options?: { tries?: number }): Promise<void>;
}

/** The ports of a gateway, and how to start it. */
export interface GatewayChildOptions {
  port: number;
  operatorPort: number;
  file: string;
  /** A command that starts the gateway's own, for example with a limited disk. */
  launcher?: readonly string[] | undefined;
  /** The main file of the program; this one by default. */
  program?: string | undefined;
}

export class GatewayChild implements GatewayProcess {
  readonly name: string;
  readonly url: string;
  readonly operator: string;
  readonly file: string;
  program: string;
  readonly #launcher: readonly string[];
  #child: ChildProcess | undefined;
  #output = "";

  constructor(
    name: string,
    { port, operatorPort, file, launcher = [], program = MAIN }: GatewayChildOptions,
  ) {
    this.name = name;
    this.url = `http://localhost:${port}`;
    this.operator = `http://127.0.0.1:${operatorPort}`;
    this.file = file;
    this.#launcher = launcher;
    this.program = program;
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  output(): string {
    return this.#output;
  }

  isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  isReady(): boolean {
    return this.isRunning() && this.#output.includes("Engine     ");
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async start({ tries = 1 }: { tries?: number } = {}): Promise<void> {
    for (let left = tries; ; left--) {
      try {
        return await this.#start();
      } catch (error) {
        if (left <= 1) throw error;
      }
    }
  }

  async #start(): Promise<void> {
    // The inspector's port is only opened by a signal, to block the event loop.
    const own = [process.execPath, ...FLAGS, "--inspect-port=0", this.program, "start", "--config"];
    const [program = "", ...args] = [...this.#launcher, ...own, this.file];
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.off("exit", kill));
    this.#output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (data) => {
        this.#output += data;
      });
    }
    while (!this.isReady()) {
      if (!this.isRunning()) {
        // Its last output may still be in the pipe.
        await new Promise((resolve) => setTimeout(resolve, 100));
        const how = child.signalCode ?? child.exitCode;
        throw new Error(`${this.name} ended with ${how}: ${this.#output.slice(-2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    if (!this.#child || !this.isRunning()) return;
    const gone = once(this.#child, "exit");
    // A stopped process doesn't receive the signal.
    this.#child.kill("SIGCONT");
    this.#child.kill(signal);
    await gone;
  }
}
