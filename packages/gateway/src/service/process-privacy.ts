// Protects the gateway's memory and descriptors from other processes on the machine. Node has no API for
// either, so this relies on side effects in the kernel.

import { closeSync, readdirSync, readFileSync, statSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
/** The group `nogroup`; any group but the gateway's own would work. */
const OTHER_GROUP = 65_534;

/**
 * Makes the process undumpable if possible: other processes of its user can't read its memory or environment,
 * and it leaves no core file. The kernel does that when a process changes its effective group, so this
 * changes the group and changes it back. Returns whether the process is undumpable now.
 */
export function makeUndumpable(): boolean {
  const { getegid, setegid } = process;
  if (!getegid || !setegid) return false;
  try {
    const own = getegid();
    setegid(own === OTHER_GROUP ? OTHER_GROUP - 1 : OTHER_GROUP);
    setegid(own);
    return true;
  } catch {
    // Without CAP_SETGID it depends on how the program was started: a program that its user can't read is
    // undumpable.
    return isUndumpable();
  }
}

/** Root owns the /proc files of an undumpable process. */
function isUndumpable(): boolean {
  try {
    return statSync("/proc/self/environ").uid !== process.geteuid?.();
  } catch {
    return false;
  }
}

/**
 * Closes descriptors inherited from the parent process, because child processes would inherit them too. Node
 * opens its own with close-on-exec. Returns how many it closed.
 */
export function closeInherited(): number {
  let closed = 0;
  for (const name of listDescriptors()) {
    const descriptor = Number(name);
    if (descriptor > 2 && isInheritable(name)) {
      closeSync(descriptor);
      closed += 1;
    }
  }
  return closed;
}

function listDescriptors(): string[] {
  try {
    return readdirSync("/proc/self/fd");
  } catch {
    // Not Linux.
    return [];
  }
}

function isInheritable(name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(
      readFileSync(`/proc/self/fdinfo/${name}`, "utf8"),
    )?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It belonged to the listing itself and is already closed.
    return false;
  }
}
