// Groups of processes with strict limits (cgroup v2). They need a group that was delegated to the gateway, such
// as by systemd (`Delegate=yes`). Without one, the limits of single processes apply.

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Isolation } from "./runner.ts";

const ROOT = "/sys/fs/cgroup";
const CONTROLLERS = ["memory", "pids", "cpu"];
/** Where the gateway itself runs: a group with limits for its members can't have processes of its own. */
const OWN = "gateway";
const PERIOD = 100_000;

/** Finds the delegated group and prepares it. Undefined if there is none. */
export function findDelegatedGroup(root: string = ROOT): string | undefined {
  try {
    const path = /^0::(\/.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    if (path === undefined) return undefined;
    const own = join(root, path);
    const folder = own.endsWith(`/${OWN}`) ? dirname(own) : own;
    const available = readFileSync(join(folder, "cgroup.controllers"), "utf8").trim().split(" ");
    if (!CONTROLLERS.every((name) => available.includes(name))) return undefined;
    if (folder === own) {
      // Other processes of the group, such as a shell, aren't ours to move.
      const members = readFileSync(join(own, "cgroup.procs"), "utf8").trim().split("\n");
      if (members.join() !== `${process.pid}`) return undefined;
      mkdirSync(join(own, OWN), { recursive: true });
      writeFileSync(join(own, OWN, "cgroup.procs"), `${process.pid}`);
    }
    const wanted = CONTROLLERS.map((name) => `+${name}`).join(" ");
    writeFileSync(join(folder, "cgroup.subtree_control"), wanted);
    return folder;
  } catch {
    // No cgroup v2, or not delegated.
    return undefined;
  }
}

/** A group for one process and everything it starts. */
export interface Group {
  /** The command that joins the group and then becomes `argv`. */
  join(argv: readonly string[]): string[];
  /** Kills all members and removes the group. */
  remove(): Promise<void>;
}

/** Creates a group with limits inside the delegated one. */
export function createGroup(
  parent: string,
  { memory, cpus, processes }: Pick<Isolation, "memory" | "cpus" | "processes">,
): Group {
  const folder = join(parent, `server-${randomUUID()}`);
  const set = (name: string, value: string): void => writeFileSync(join(folder, name), value);
  mkdirSync(folder);
  set("memory.max", `${memory}`);
  set("pids.max", `${processes}`);
  set("cpu.max", `${Math.round(cpus * PERIOD)} ${PERIOD}`);
  try {
    set("memory.swap.max", "0");
  } catch {
    // A kernel without swap accounting.
  }
  return {
    join: (argv) => [
      ...["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', folder],
      ...argv,
    ],
    remove: async () => {
      for (let attempt = 0; attempt < 50; attempt++) {
        try {
          set("cgroup.kill", "1");
          rmdirSync(folder);
          return;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
          // Killed processes are members until the kernel has removed them.
          await sleep(20);
        }
      }
    },
  };
}
