import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const SOURCES = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

/** `vitrine` as people start it, from its sources. */
export interface Program {
  readonly child: ChildProcess;
  /** All that it wrote so far. */
  readonly said: string;
  /** Resolves with what a pattern found in its words; rejects when it ends before, or after some time. */
  until(pattern: RegExp, patience: number): Promise<string>;
  /** Its exit code. */
  ended(): Promise<number | null>;
  /** Asks it to end, as Ctrl+C does. */
  stop(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
// An interrupted run leaves no servers behind.
process.once("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/** Starts it. */
export function startProgram(words: readonly string[]): Program {
  const child = spawn(process.execPath, [...SOURCES, MAIN, ...words], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const exit = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return {
    child,
    get said() {
      return said;
    },
    until: async (pattern, patience) => {
      for (const end = Date.now() + patience; Date.now() < end; ) {
        const found = pattern.exec(said)?.[0];
        if (found !== undefined) return found;
        if (child.exitCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(said.trim() || "It wrote nothing.");
    },
    ended: () => exit,
    stop: () => {
      child.kill("SIGINT");
      return exit;
    },
  };
}
