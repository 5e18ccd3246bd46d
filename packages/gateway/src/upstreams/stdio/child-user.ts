// A server's process runs as a separate user. As the gateway's user, it could read the gateway's memory,
// environment and key files, and sign tickets for anybody. `setpriv` changes the user because Node alone
// can't: it neither clears supplementary groups nor drops capabilities, and it can't set no_new_privs.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The user that a server's process runs as. */
export interface ChildUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly home: string;
}

/** From util-linux, which Debian and its images always have. Never searched for in PATH. */
const SETPRIV = "/usr/bin/setpriv";
const LARGEST_ID = 2 ** 32 - 2;
const KILL = 5n;

/** Finds a user by name, by number, or by numbers of user and group (`1600:1600`). Throws a `TypeError`. */
export function findUser(text: string, passwd: string = readPasswd()): ChildUser {
  const users = passwd.split("\n").map((line) => line.split(":"));
  const [, uidText, gidText] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const known = users.find(([name, , uid]) =>
    uidText === undefined ? name === text : uid === uidText,
  );
  if (!known && uidText === undefined) {
    throw new TypeError(
      `There is no user "${text}" in /etc/passwd. Create one (useradd --system ${text}), or write numbers such as "1600:1600".`,
    );
  }
  const uid = Number(uidText ?? known?.[2]);
  const gid = Number(gidText ?? known?.[3] ?? uid);
  if (uid > LARGEST_ID || gid > LARGEST_ID || Number.isNaN(uid + gid)) {
    throw new TypeError(`"${text}" isn't a user: ids go up to ${LARGEST_ID}.`);
  }
  return { uid, gid, name: known?.[0] ?? `${uid}`, home: known?.[5] || "/" };
}

/**
 * The command that runs `argv` as a user, without other groups or capabilities and without a way to gain
 * them.
 */
export function asUser(argv: readonly string[], { uid, gid }: ChildUser): string[] {
  const privileges = ["--clear-groups", "--no-new-privs", "--inh-caps=-all", "--ambient-caps=-all"];
  return [SETPRIV, "--reuid", `${uid}`, "--regid", `${gid}`, ...privileges, "--", ...argv];
}

/** The command that runs `argv` as the gateway's own user without its capabilities. Bubblewrap refuses to have any. */
export function withoutRights(argv: readonly string[]): string[] {
  const privileges = ["--no-new-privs", "--inh-caps=-all", "--ambient-caps=-all"];
  return [SETPRIV, ...privileges, "--", ...argv];
}

/** Starts a process as the user and checks its identity. Returns why servers can't run as that user. */
export function findObstacle(user: ChildUser): string | undefined {
  const { uid, gid } = user;
  if (uid === 0 || gid === 0) return "servers never run as root";
  if (uid === process.geteuid?.())
    return "it's the gateway's own user, so the server could read the gateway's memory and keys";
  if (gid === process.getegid?.())
    return "its group is the gateway's own, so the server could read the gateway's files";
  const [program = "", ...args] = asUser(["/bin/cat", "/proc/self/status"], user);
  const { stdout, stderr, status, error } = spawnSync(program, args, {
    encoding: "utf8",
    cwd: "/",
    env: {},
    timeout: 10_000,
    maxBuffer: 65_536,
  });
  if (error) return `${SETPRIV} can't be run (${(error as NodeJS.ErrnoException).code})`;
  if (status !== 0) return `${stderr.trim().slice(0, 200) || `${SETPRIV} ended with ${status}`}`;
  if (!isConfined(stdout, user)) return `${SETPRIV} didn't drop all rights of the gateway`;
  // Without it, the gateway could start processes that it can't end.
  if (!hasCapability(KILL)) return "the gateway lacks CAP_KILL, so it couldn't end the process";
  return undefined;
}

function isConfined(status: string, { uid, gid }: ChildUser): boolean {
  const field = (name: string): string =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(status)?.[1]?.trim() ?? "missing";
  const all = (id: number): string => Array(4).fill(id).join("\t");
  const capabilities = ["CapInh", "CapPrm", "CapEff", "CapAmb"].map(field);
  return (
    field("Uid") === all(uid) &&
    field("Gid") === all(gid) &&
    // The kernel usually doesn't list the main group here, but some versions do.
    ["", `${gid}`].includes(field("Groups")) &&
    capabilities.every((set) => /^0+$/.test(set)) &&
    field("NoNewPrivs") === "1"
  );
}

function hasCapability(bit: bigint): boolean {
  const set = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return set !== undefined && ((BigInt(`0x${set}`) >> bit) & 1n) === 1n;
}

function readPasswd(): string {
  return readFileSync("/etc/passwd", "utf8");
}
