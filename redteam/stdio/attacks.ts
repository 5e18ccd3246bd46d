import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { processes, read } from "./processes.ts";
import type { Stage } from "./stage.ts";

/** One hostile server, and how its success is seen from outside. */
export interface StdioAttack {
  readonly name: string;
  readonly title: string;
  /** Looked at while the server runs: the largest value counts. */
  measure?(stage: Stage): number;
  /** A limit may end the server before it answers. */
  readonly mayEnd?: boolean;
  /** The server is ended afterwards, because that is what it resists. */
  readonly isEnded?: boolean;
  /** `left`: processes after the end of the server. */
  hasSucceeded(stage: Stage, seen: { loot: string; most: number; left: number }): boolean;
}

const steals = (name: string, title: string, isLoot: (loot: string) => boolean): StdioAttack => ({
  name,
  title,
  hasSucceeded: ({ seen }, { loot }) =>
    isLoot(loot) && seen.secrets.some((secret) => loot.includes(secret)),
});

/** The largest number of processes that an attack may reach: half of what it tries. */
const MANY = 150;
const MIB = 2 ** 20;

/** The attacks in their order. The last one ends the gateway if it succeeds. */
export const STDIO_ATTACKS: readonly StdioAttack[] = [
  steals("keys", "reads the gateway's key files", () => true),
  steals("database", "reads the gateway's data", (loot) => loot.includes("SQLite format 3")),
  steals("environ", "reads /proc/<gateway>/environ", (loot) => loot.includes("CANARY-gateway")),
  steals("memory", "reads /proc/<gateway>/mem", (loot) => loot.includes("CANARY-gateway")),
  steals("neighbour", "reads the environment of other processes", (loot) =>
    loot.includes("CANARY-neighbour"),
  ),
  steals("descriptors", "opens the gateway's descriptors in /proc", () => true),
  steals("symlink", "reads through links out of its folder", () => true),
  {
    name: "fork",
    mayEnd: true,
    title: "starts processes without end",
    measure: (stage) => processes(stage.mark("fork")).length,
    hasSucceeded: (_stage, { most }) => most > MANY,
  },
  {
    name: "fill",
    mayEnd: true,
    title: "takes memory without end",
    measure: (stage) => residentBytes(stage.mark("fill")),
    hasSucceeded: (_stage, { most }) => most > 700 * MIB,
  },
  {
    name: "disk",
    title: "fills the disk",
    measure: (stage) => bytesOnDisk(stage.mark("disk"), stage.targets.folder),
    hasSucceeded: (_stage, { most }) => most > 150 * MIB,
  },
  {
    name: "loopback",
    title: "connects to services of the machine",
    hasSucceeded: ({ seen }) => seen.connections > 0,
  },
  {
    name: "neighbourhood",
    title: "connects to another address of the network",
    hasSucceeded: ({ seen }) => seen.connections > 0,
  },
  {
    name: "sockets",
    title: "connects to Unix sockets",
    hasSucceeded: ({ seen }) => seen.connections > 0,
  },
  {
    name: "dns",
    title: "sends data in a DNS query",
    hasSucceeded: ({ seen }) => seen.queries > 0,
  },
  {
    name: "ptrace",
    title: "traces another process",
    measure: ({ targets: { decoy } }) => {
      const status = read(`/proc/${decoy}/status`);
      return Number(/^TracerPid:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    },
    hasSucceeded: (_stage, { most }) => most > 0,
  },
  {
    name: "inspector",
    title: "opens the gateway's debugger with a signal",
    hasSucceeded: ({ seen }) => /Debugger listening|Starting inspector/.test(seen.output()),
  },
  {
    name: "overwrite",
    title: "changes the program of another server",
    hasSucceeded: (stage) => read(stage.targets.other).includes(stage.mark("overwrite")),
  },
  {
    name: "survive",
    title: "leaves a process behind that outlives it",
    isEnded: true,
    hasSucceeded: (_stage, { left }) => left > 0,
  },
  {
    name: "kill",
    title: "ends the gateway with a signal",
    hasSucceeded: ({ seen }) => seen.exit() !== null,
  },
];

function residentBytes(mark: string): number {
  const sizes = processes(mark).map((id) => Number(read(`/proc/${id}/statm`).split(" ")[1] ?? 0));
  return sizes.reduce((sum, pages) => sum + pages * 4096, 0);
}

/** Bytes that an attack wrote, wherever it could, also in its own view of the file system. */
function bytesOnDisk(mark: string, folder: string): number {
  const places = ["/tmp", "/var/tmp", "/dev/shm", folder, "/"];
  const [first] = processes(mark).slice(-1);
  const own =
    first === undefined ? [] : ["/tmp", "/dev/shm"].map((path) => `/proc/${first}/root${path}`);
  const files = new Map<string, number>();
  for (const place of [...places, ...own]) {
    try {
      for (const name of readdirSync(place)) {
        if (!name.includes(`fill-${mark}`)) continue;
        const { ino, dev, size } = statSync(join(place, name));
        files.set(`${dev} ${ino}`, size);
      }
    } catch {
      // It isn't visible to this user.
    }
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0);
}
