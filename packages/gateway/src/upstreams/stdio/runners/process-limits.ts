// Limits that the kernel keeps for a process and its children without any rights.

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
  const flags = Object.entries(limits).map(([name, value]) => `--${name}=${Math.round(value)}`);
  return [PRLIMIT, ...flags, "--", ...argv];
}
