// One process has a folder. The lock says who: a pid with the time at which that process started and the
// boot it belongs to, since pids are used again, in a container always the same one. A process in another
// pid namespace cannot be looked up; the owner touches its lock, and silence of ten seconds is death.

import { randomUUID } from "node:crypto";
import {
  link,
  mkdir,
  readFile,
  readlink,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../errors.ts";
import { diskError, isMissing } from "./disk-error.ts";
import type { Notice } from "./frame-file.ts";

interface Owner {
  readonly pid: number;
  readonly started: string | undefined;
  readonly boot: string | undefined;
  readonly namespace: string | undefined;
  readonly token: string;
}

const TOUCH = 2_000;
const SILENCE = 10_000;
const PATIENCE = SILENCE + 2 * TOUCH;
const PAUSE = 100;

/** Takes a folder for this process, or fails with `locked`. Returns what gives it back. */
export async function lockFolder(
  folder: string,
  onNotice: (notice: Notice) => void,
): Promise<() => Promise<void>> {
  const path = join(folder, "lock");
  const token = randomUUID();
  const draft = `${path}.${token}`;
  try {
    await writeFile(draft, JSON.stringify(await thisProcess(token)), { mode: 0o600 });
    await take(path, draft, onNotice);
  } catch (error) {
    throw diskError(path, error);
  } finally {
    await rm(draft, { force: true });
  }
  const touching = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, TOUCH);
  touching.unref();
  return async () => {
    clearInterval(touching);
    if ((await readOwner(path))?.token === token) await rm(path, { force: true });
  };
}

async function take(
  path: string,
  draft: string,
  onNotice: (notice: Notice) => void,
): Promise<void> {
  for (let waited = 0; ; waited += PAUSE) {
    // A link appears whole or not at all, and never in the place of another.
    if (await wasMade(link(draft, path))) return;
    const owner = await readOwner(path);
    if (!owner) continue;
    const state = await stateOf(owner, path);
    if (state === "alive" || waited > PATIENCE) throw lockedError(path, owner);
    if (state === "dead" && (await removeStale(path, owner))) {
      const text = `The process ${owner.pid} that had ${path} is gone; its folder is taken over.`;
      onNotice({ kind: "stale-lock", path, text });
      continue;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

// Of several who find the same dead lock, one may remove it: the second would remove the lock of the first.
async function removeStale(path: string, owner: Owner): Promise<boolean> {
  const guard = `${path}.takeover`;
  if (!(await wasMade(mkdir(guard)))) return false;
  try {
    if ((await readOwner(path))?.token !== owner.token) return false;
    await rm(path, { force: true });
    return true;
  } finally {
    await rmdir(guard);
  }
}

async function stateOf(owner: Owner, path: string): Promise<"alive" | "dead" | "unknown"> {
  const here = await thisProcess("");
  if (owner.boot !== here.boot) return owner.boot && here.boot ? "dead" : "unknown";
  if (owner.namespace === here.namespace) {
    if (!isRunning(owner.pid)) return "dead";
    const started = await startOf(owner.pid);
    return started === owner.started ? "alive" : "dead";
  }
  const { mtimeMs } = await stat(path);
  return Date.now() - mtimeMs > SILENCE ? "dead" : "unknown";
}

async function thisProcess(token: string): Promise<Owner> {
  return {
    pid: process.pid,
    started: await startOf(process.pid),
    boot: await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined),
    namespace: await readlink("/proc/self/ns/pid").catch(() => undefined),
    token,
  };
}

async function startOf(pid: number): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The second field, the name of the program, may hold anything; the start is the twentieth after it.
  return status?.slice(status.lastIndexOf(")") + 2).split(" ")[19];
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Owner;
  } catch (error) {
    if (isMissing(error)) return undefined;
    const text = `${path} cannot be read as a lock; remove it if no gateway runs in this folder.`;
    throw new EngineError("locked", text, { cause: error });
  }
}

async function wasMade(making: Promise<unknown>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function lockedError(path: string, { pid }: Owner): EngineError {
  const text = `${path} is held by process ${pid}; end it, or use another folder. Remove ${path}.takeover if it is left over.`;
  return new EngineError("locked", text);
}
