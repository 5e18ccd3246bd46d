import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  createStdioUpstream,
  type StdioUpstreamOptions,
} from "../../src/upstreams/stdio-upstream.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";

/** The command line of a program of `@vitrine/internal`. */
export function program(name: string, ...args: string[]): [string, ...string[]] {
  const path = fileURLToPath(import.meta.resolve(`@vitrine/internal/${name}`));
  return [process.execPath, "--no-warnings", "--conditions=@vitrine/source", path, ...args];
}

/** An upstream that is a program, closed at the end. */
export async function withProgram(
  argv: [string, ...string[]],
  options: Partial<StdioUpstreamOptions>,
  body: (upstream: Upstream) => Promise<void>,
): Promise<void> {
  const upstream = createStdioUpstream({ id: "s", argv, ...options });
  try {
    await body(upstream);
  } finally {
    await upstream.close();
  }
}

/** Processes, zombies included, whose command line holds `mark`, or that are children of `parent`. */
export function processes({ mark, parent }: { mark?: string; parent?: number }): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        if (mark !== undefined) return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark);
        const [, ppid] =
          /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return Number(ppid) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}
