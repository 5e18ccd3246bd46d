// Isolation without a daemon and without root: namespaces of the kernel, set up by bubblewrap. A process sees
// the system's programs, its own files read-only, one empty folder to write to, and no network.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { UpstreamError } from "../../upstream.ts";
import { asUser, type ChildUser, withoutRights } from "../child-user.ts";
import type { Command } from "../child-wire.ts";
import { bubblewrapRemedy } from "./bubblewrap-remedy.ts";
import { createGroup, findDelegatedGroup } from "./cgroup.ts";
import { PROXY_FOLDER, PROXY_VARIABLES, withForwarder } from "./egress-forwarder.ts";
import { type EgressOptions, openEgressProxy } from "./egress-proxy.ts";
import { withLimits } from "./process-limits.ts";
import { programFiles } from "./program-files.ts";
import { ISOLATION, type Isolation, type Runner, type WrappedCommand } from "./runner.ts";
import { ownMounts, systemMounts } from "./sandbox-mounts.ts";

const run = promisify(execFile);

/** Never searched for in PATH. */
const BWRAP = "/usr/bin/bwrap";
/** The only writable folder, and the home of the process. */
const WORK = "/tmp";
const SHARED_MEMORY = 64 * 2 ** 20;
/** For a gateway that runs as root: the kernel doesn't limit root's processes, even in a user namespace. */
const NOBODY: ChildUser = { uid: 65_534, gid: 65_534, name: "nobody", home: "/" };

/** Options of `createBubblewrapRunner`. */
export interface BubblewrapOptions {
  /** The gateway's own files and folders. No server sees them. */
  hidden?: readonly string[];
  /** Node for the forwarder of servers with a network. */
  node?: string;
  resolve?: EgressOptions["resolve"];
}

/** Creates a runner that uses bubblewrap. */
export function createBubblewrapRunner(options: BubblewrapOptions = {}): Runner {
  const { hidden = [], node = process.execPath, resolve } = options;
  const delegated = findDelegatedGroup();
  let folder: Promise<string> | undefined;
  let isClosed = false;

  /** Holds what sandboxes mount. Others can't list it, and the names in it can't be guessed. */
  const runtime = (): Promise<string> => {
    folder ??= mkdtemp(join(tmpdir(), "vitrine-sandbox-")).then(async (path) => {
      await chmod(path, 0o711);
      await writeFile(join(path, "hosts"), "127.0.0.1 localhost\n::1 localhost\n");
      await writeFile(join(path, "nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files\n");
      await writeFile(join(path, "empty"), "");
      return path;
    });
    return folder;
  };

  const joinGroup = (argv: string[], isolation: Isolation, undo: Undo): string[] => {
    if (delegated === undefined) return argv;
    const group = createGroup(delegated, isolation);
    undo.push(group.remove);
    return group.join(argv);
  };

  const wrap = async (command: Command, isolation: Isolation): Promise<WrappedCommand> => {
    if (isClosed) throw new UpstreamError("closed", "The runner was closed.");
    const { program, paths } = programFiles(command);
    const undo: Undo = [];
    const release = async (): Promise<void> => {
      for (const step of undo.splice(0).reverse()) await step();
    };
    try {
      const base = await runtime();
      const proxy = await openProxy(base, { ...isolation, resolve }, undo);
      const user = command.user ?? defaultUser();
      const inside = [program, ...command.argv.slice(1)];
      const argv = [
        ...[BWRAP, ...BOUNDARY, ...systemMounts(), ...(await accountMounts(base, user))],
        ...workMounts(isolation),
        ...ownMounts({
          readOnly: [...paths, ...isolation.readOnly],
          writable: isolation.writable,
          hidden,
        }),
        ...(proxy === undefined ? [] : ["--ro-bind", proxy, PROXY_FOLDER, "--ro-bind", node, node]),
        ...["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", command.cwd ?? WORK, "--"],
        ...withLimits(proxy === undefined ? inside : withForwarder(inside, node), isolation),
      ];
      const own = { HOME: WORK, TMPDIR: WORK, ...(proxy && PROXY_VARIABLES) };
      // The operator's own variables come last.
      const env = { ...command.env, ...own, ...command.given };
      const joined = joinGroup(user ? asUser(argv, user) : withoutRights(argv), isolation, undo);
      return { argv: joined, cwd: "/", env, release };
    } catch (error) {
      await release();
      throw error;
    }
  };

  return {
    name: "bubblewrap",
    get gap() {
      return delegated === undefined
        ? "No cgroup is delegated to the gateway, so memory is limited for each process of a server instead of all together, and processor time isn't limited (docs/isolation.md, Strict limits)."
        : undefined;
    },
    probe: async () => {
      if (!existsSync(BWRAP)) return `${BWRAP} isn't installed. Install the package bubblewrap.`;
      try {
        const trial = { argv: ["/bin/cat", "/proc/self/status"], env: { PATH: "/usr/bin:/bin" } };
        const { argv, env, release } = await wrap(trial, ISOLATION);
        const [program = "", ...args] = argv;
        const options = { cwd: "/", env, timeout: 10_000, maxBuffer: 65_536 };
        const { stdout } = await run(program, args, options).finally(release);
        return isConfined(stdout) ? undefined : "bubblewrap didn't isolate its trial process.";
      } catch (error) {
        return explain(error as Error & { stderr?: string });
      }
    },
    wrap,
    close: async () => {
      isClosed = true;
      const path = await folder;
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

type Undo = (() => Promise<void>)[];

function defaultUser(): ChildUser | undefined {
  return process.geteuid?.() === 0 ? NOBODY : undefined;
}

const BOUNDARY = [
  ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
  ...["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"],
];

/** The folders that a process can write to. They are in memory and end with it. */
function workMounts({ disk }: Isolation): string[] {
  const shared = Math.min(disk, SHARED_MEMORY);
  return [
    ...["--size", `${disk}`, "--tmpfs", WORK],
    ...["--size", `${shared}`, "--tmpfs", "/dev/shm"],
  ];
}

/** Opens a proxy for a server with a network. Returns the folder of its socket. */
async function openProxy(
  base: string,
  { network, privateNetwork, resolve }: EgressOptions,
  undo: Undo,
): Promise<string | undefined> {
  if (network.length + privateNetwork.length === 0) return undefined;
  const path = join(base, randomBytes(16).toString("hex"));
  await mkdir(path);
  await chmod(path, 0o711);
  undo.push(() => rm(path, { recursive: true, force: true }));
  const proxy = await openEgressProxy(join(path, "proxy.sock"), {
    network,
    privateNetwork,
    resolve,
  });
  undo.push(proxy.close);
  return path;
}

/** Files that name the users of a machine, with the process's own user only. */
async function accountMounts(folder: string, user: ChildUser | undefined): Promise<string[]> {
  const uid = user?.uid ?? process.geteuid?.() ?? 65_534;
  const gid = user?.gid ?? process.getegid?.() ?? 65_534;
  const passwd = join(folder, `passwd-${uid}-${gid}`);
  const group = join(folder, `group-${gid}`);
  await writeFile(passwd, `server:x:${uid}:${gid}::${WORK}:/bin/sh\n`);
  await writeFile(group, `server:x:${gid}:\n`);
  const files = {
    passwd,
    group,
    hosts: join(folder, "hosts"),
    "nsswitch.conf": join(folder, "nsswitch.conf"),
    "resolv.conf": join(folder, "empty"),
  };
  return Object.entries(files).flatMap(([name, file]) => ["--ro-bind", file, `/etc/${name}`]);
}

function isConfined(status: string): boolean {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1];
  const sets = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map(field);
  // Its process id is small, because it is the first program in its own namespace.
  return (
    field("NoNewPrivs") === "1" &&
    sets.every((set) => /^0+$/.test(set ?? "")) &&
    Number(field("Pid")) < 10
  );
}

function explain(error: Error & { stderr?: string }): string {
  const said = (error.stderr || error.message).trim().slice(0, 300);
  return `bubblewrap can't start a process here (${said}). ${bubblewrapRemedy(said)}`;
}
