// Limits that the kernel keeps for a process and its children without any rights.

import { readFileSync } from "node:fs";
import type { Isolation } from "./runner.ts";

/** From util-linux, like `setpriv`. */
const PRLIMIT = "/usr/bin/prlimit";

// V8 reserves half a gigabyte of address space for code when it starts, which counts as data although none of
// it is used. With less, Node doesn't start.
const RESERVED_BY_V8 = 576 * 2 ** 20;

/** The command with limits. It must run inside the sandbox: the kernel counts processes per user namespace. */
export function withLimits(
  argv: readonly string[],
  { memory, processes, disk }: Pick<Isolation, "memory" | "processes" | "disk">,
): string[] {
  const limits = {
    data: memory + RESERVED_BY_V8,
    nproc: processes,
    fsize: disk,
    nofile: 4096,
    core: 0,
    memlock: 2 ** 16,
  };
  const highest = hardLimits();
  const flags = Object.entries(limits).map(([name, value]) => {
    // Nobody can raise a limit that the gateway itself was started with.
    return `--${name}=${Math.round(Math.min(value, highest.get(name) ?? value))}`;
  });
  return [PRLIMIT, ...flags, "--", ...argv];
}

const TITLES: Readonly<Record<string, string>> = {
  "Max data size": "data",
  "Max processes": "nproc",
  "Max file size": "fsize",
  "Max open files": "nofile",
  "Max locked memory": "memlock",
};

function hardLimits(): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of readFileSync("/proc/self/limits", "utf8").split("\n")) {
    const [, title = "", hard = ""] = /^(.+?)\s{2,}\S+\s+(\S+)/.exec(line) ?? [];
    const name = TITLES[title];
    if (name !== undefined && hard !== "unlimited") found.set(name, Number(hard));
  }
  return found;
}
