import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { MessageText } from "../../json-rpc/serialize.ts";
import type { Wire } from "../sessions/wire.ts";
import { UpstreamError } from "../upstream.ts";
import { asUser, type ChildUser } from "./child-user.ts";
import { LineSplitter } from "./line-splitter.ts";
import { guardGroup } from "./orphan-guard.ts";
import { findMissingPart } from "./program-search.ts";

/** How to start a process. */
export interface Command {
  /** Program and arguments. They aren't passed through a shell. */
  argv: readonly string[];
  cwd?: string | undefined;
  env: Record<string, string>;
  /** The part of `env` that the operator chose for this server. */
  given?: Readonly<Record<string, string>> | undefined;
  /** The user that the process runs as. Defaults to the gateway's own user. */
  user?: ChildUser | undefined;
  /** Called when the process has ended. */
  release?(): Promise<void>;
}

/** Limits for a process. */
export interface ChildLimits {
  /** Bytes of one line. */
  message: number;
  /** Bytes that wait for the process to read them. */
  backlog: number;
  /** Bytes of stderr that are kept. */
  stderr: number;
  /** Milliseconds in which the process must end by itself, and again after SIGTERM. */
  closeTime: number;
}

/** The defaults. */
export const CHILD_LIMITS: ChildLimits = {
  message: 8 * 2 ** 20,
  backlog: 16 * 2 ** 20,
  stderr: 8192,
  closeTime: 1000,
};

/** One process that exchanges lines of JSON, and the leader of its process group. */
export class ChildWire implements Wire {
  onmessage: Wire["onmessage"] = () => {};
  onlost: Wire["onlost"] = () => {};
  /** Settles when the process has ended and its group is empty. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: Command;
  readonly #limits: ChildLimits;
  #end: UpstreamError | undefined;
  #stderr = "";
  #closing: Promise<void> | undefined;

  constructor(command: Command, limits: Partial<ChildLimits> = {}) {
    const { argv, cwd, env, user } = command;
    this.#command = command;
    this.#limits = { ...CHILD_LIMITS, ...limits };
    const [program = "", ...rest] = user ? asUser(argv, user) : argv;
    this.#child = spawn(program, rest, {
      detached: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
      env,
      // Another user may not have access to the gateway's folder.
      ...((cwd ?? user) !== undefined && { cwd: cwd ?? "/" }),
    });
    this.exited = this.#watch().then(() => command.release?.());
  }

  async send(text: MessageText): Promise<void> {
    if (this.#end) throw this.#end.with({ sent: false });
    const { stdin } = this.#child;
    if (stdin.writableLength > this.#limits.backlog) {
      throw new UpstreamError("busy", "The process doesn't read its input.");
    }
    // The serializer writes a single line.
    stdin.write(`${text}\n`);
  }

  forget(): void {
    // All responses share one pipe.
  }

  /** Closes the input, then sends SIGTERM, then SIGKILL, to the process and everything it started. */
  close(): Promise<void> {
    this.#closing ??= this.#closeGracefully();
    return this.#closing;
  }

  /** Kills the process and everything it started immediately. */
  async kill(): Promise<void> {
    this.#lose(new UpstreamError("closed", "The process was ended.", { sent: true }));
    this.#kill("SIGKILL");
    await this.exited;
  }

  async #closeGracefully(): Promise<void> {
    this.#lose(new UpstreamError("closed", "The process was ended.", { sent: true }));
    this.#child.stdin.end();
    if (await this.#isGone()) return;
    this.#kill("SIGTERM");
    if (await this.#isGone()) return;
    this.#kill("SIGKILL");
    await this.exited;
  }

  #isGone(): Promise<boolean> {
    const gone = this.exited.then(() => true);
    return Promise.race([gone, sleep(this.#limits.closeTime, false, { ref: false })]);
  }

  #kill(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is empty.
    }
  }

  #watch(): Promise<void> {
    const child = this.#child;
    const release = child.pid === undefined ? undefined : guardGroup(child.pid);
    const lines = new LineSplitter({ limit: this.#limits.message });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.#read(lines, chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-this.#limits.stderr);
    });
    return new Promise((resolve) => {
      const finish = (): void => {
        release?.();
        this.#lose(this.#crash());
        resolve();
      };
      child.on("error", (cause) => {
        if (child.pid !== undefined) return;
        const message = findMissingPart(this.#command) ?? "The process can't be started.";
        this.#lose(new UpstreamError("crashed", message, { cause }));
        resolve();
      });
      child.once("exit", () => {
        // Also kill everything it started, which closes pipes that it may have passed on.
        this.#kill("SIGKILL");
        // Its last output may still be in the pipe.
        const timer = setTimeout(finish, 500);
        child.once("close", () => {
          clearTimeout(timer);
          finish();
        });
      });
    });
  }

  #crash(): UpstreamError {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode ?? `code ${exitCode}`;
    const stderr = this.#stderr;
    return new UpstreamError("crashed", `The process ended (${how}).`, { sent: true, stderr });
  }

  #read(lines: LineSplitter, chunk: Buffer): void {
    if (this.#end) return;
    try {
      for (const line of lines.push(chunk)) if (line.trim() !== "") this.onmessage(line);
    } catch (error) {
      // The start of the next line would be a guess.
      this.#lose(error as UpstreamError);
      this.#kill("SIGKILL");
    }
  }

  #lose(error: UpstreamError): void {
    if (this.#end) return;
    this.#end = error;
    this.onlost(error);
  }
}
