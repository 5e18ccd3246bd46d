import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const GRACE = 2000;

/** A browser or a helper of one, with all the processes it starts. */
export interface BrowserProcess {
  readonly child: ChildProcess;
  /** Waits for a word in what it prints. */
  says(pattern: RegExp, stream: "stderr" | 3): Promise<string>;
  end(): Promise<void>;
}

/** Starts a program as the head of a process group, so that it can be ended with its children. */
export function startProcess(
  command: string,
  parameters: readonly string[],
  options: SpawnOptions,
): BrowserProcess {
  const child = spawn(command, parameters, { ...options, detached: true });
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid) process.kill(-child.pid, name);
    } catch {
      // The whole group is gone already.
    }
  };
  const abandon = (): void => signal("SIGKILL");
  // A run that is broken off must not leave browsers behind.
  process.once("exit", abandon);
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  return {
    child,
    says: (pattern, stream) =>
      new Promise((resolve, reject) => {
        let output = "";
        const late = setTimeout(() => reject(new Error(`${command} is silent: ${output}`)), 40_000);
        const from = stream === "stderr" ? child.stderr : child.stdio[3];
        from?.on("data", (chunk: Buffer) => {
          // Kept to the first lines: afterwards the stream is only drained.
          if (output.length < 20_000) output += chunk.toString();
          const found = pattern.exec(output)?.[1];
          if (found === undefined) return;
          clearTimeout(late);
          resolve(found);
        });
        child.once("error", reject);
        child.once("exit", (code) => reject(new Error(`${command} ended (${code}): ${output}`)));
      }),
    async end() {
      signal("SIGTERM");
      const hard = setTimeout(abandon, GRACE);
      await gone;
      clearTimeout(hard);
      abandon();
      process.off("exit", abandon);
    },
  };
}
