import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const NODE = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

/** A folder that is gone after the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-engine-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The command that runs a script. */
export function commandOf(script: URL, ...args: string[]): string[] {
  return [process.execPath, ...NODE, fileURLToPath(script), ...args];
}

/** A process that tells of itself in lines. */
export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** All it wrote to the error stream. */
  readonly errors: string[];
  /** Its exit code or signal, when everything it said was received. */
  readonly ended: Promise<number | string>;
  /** Resolves when a line is there that begins so. */
  said(start: string): Promise<string>;
}

/** Starts a process; it is killed when the test ends. */
export function startChild([command, ...args]: string[]): Child {
  const child = spawn(command as string, args, { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const look of waiting) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => resolve(signal ?? code ?? "unknown"));
  });
  const said = (start: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const line = lines.find((candidate) => candidate.startsWith(start));
        if (line === undefined) return;
        waiting.delete(look);
        resolve(line);
      };
      waiting.add(look);
      look();
      void ended.then((how) => reject(new Error(`It ended with ${how}: ${errors.join("")}`)));
    });
  return { process: child, lines, errors, ended, said };
}
