import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { MessageText } from "../../json-rpc/serialize.ts";
import type { Wire } from "../sessions/wire.ts";
import { UpstreamError } from "../upstream.ts";
import { asUser, type ChildUser } from "./child-user.ts";
import { LineSplitter } from "./line-splitter.ts";
import { guardGroup } from "./orphan-guard.ts";

/** How to start a process. */
export interface Command {
  /** Program and arguments: there is no shell that could read more into them. */
  argv: readonly string[];
  cwd?: string | undefined;
  env: Record<string, string>;
  /** Who it runs as; the gateway's own user unless set. */
  user?: ChildUser | undefined;
}

/** Bounds on a process. */
export interface ChildLimits {
  /** Bytes of one line. */
  message: number;
  /** Bytes that wait to be read by it. */
  backlog: number;
  /** Bytes of stderr that are kept. */
  stderr: number;
  /** Milliseconds it has to end by itself, and again when told to. */
  farewell: number;
}

/** The defaults. */
export const CHILD_LIMITS: ChildLimits = {
  message: 8 * 2 ** 20,
  backlog: 16 * 2 ** 20,
  stderr: 8192,
  farewell: 1000,
};

/** One process with JSON lines on both sides, leader of its own group. */
export class ChildWire implements Wire {
  onmessage: Wire["onmessage"] = () => {};
  onlost: Wire["onlost"] = () => {};
  /** Settles when the process has ended and nothing of its group is left. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #limits: ChildLimits;
  #end: UpstreamError | undefined;
  #stderr = "";
  #farewell: Promise<void> | undefined;

  constructor({ argv, cwd, env, user }: Command, limits: Partial<ChildLimits> = {}) {
    this.#limits = { ...CHILD_LIMITS, ...limits };
    const [program = "", ...rest] = user ? asUser(argv, user) : argv;
    this.#child = spawn(program, rest, {
      detached: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
      env,
      // The gateway's own folder is none of another user's business.
      ...((cwd ?? user) !== undefined && { cwd: cwd ?? "/" }),
    });
    this.exited = this.#watch();
  }

  /** What it wrote to stderr last. */
  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async send(text: MessageText): Promise<void> {
    if (this.#end) throw this.#end.with({ sent: false });
    const { stdin } = this.#child;
    if (stdin.writableLength > this.#limits.backlog) {
      throw new UpstreamError("busy", "The process does not read what it is sent.");
    }
    // The serializer writes one line.
    stdin.write(`${text}\n`);
  }

  forget(): void {
    // All answers share one pipe.
  }

  /** Closes its input, then asks it to end, then ends it; with everything it has started. */
  close(): Promise<void> {
    this.#farewell ??= this.#sayFarewell();
    return this.#farewell;
  }

  /** Ends it and everything it has started, at once. */
  async kill(): Promise<void> {
    this.#lose(new UpstreamError("closed", "The process was ended.", { sent: true }));
    this.#kill("SIGKILL");
    await this.exited;
  }

  async #sayFarewell(): Promise<void> {
    this.#lose(new UpstreamError("closed", "The process was ended.", { sent: true }));
    this.#child.stdin.end();
    if (await this.#isGone()) return;
    this.#kill("SIGTERM");
    if (await this.#isGone()) return;
    this.#kill("SIGKILL");
    await this.exited;
  }

  async #isGone(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#limits.farewell);
    });
    const isGone = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return isGone;
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
        this.#lose(new UpstreamError("crashed", "The process cannot be started.", { cause }));
        resolve();
      });
      child.once("exit", () => {
        // Whatever it started goes with it; that also closes pipes it may have left to others.
        this.#kill("SIGKILL");
        // Its last words may still be in the pipe.
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
      // Where the next line begins would be a guess.
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
