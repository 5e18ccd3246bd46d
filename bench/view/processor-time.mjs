// CPU time, which noise from outside does not stretch as it does wall time. Linux only.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

// USER_HZ, which Linux fixes at 100 for everything in /proc.
const MILLISECONDS_PER_TICK = 10;

/** Milliseconds of CPU that all living processes of a group have used; NaN where there is no /proc. */
export function readGroupTime(group) {
  if (!existsSync("/proc/self/stat")) return Number.NaN;
  let ticks = 0;
  for (const pid of readdirSync("/proc")) if (/^\d+$/.test(pid)) ticks += readTicks(pid, group);
  return ticks * MILLISECONDS_PER_TICK;
}

function readTicks(pid, group) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the name, which may hold anything, in brackets: state, parent, group, … user, system.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[2]) === group ? Number(fields[11]) + Number(fields[12]) : 0;
  } catch {
    // It ended between the listing and the reading.
    return 0;
  }
}

/** Milliseconds that all processors have been busy and have existed, for all processes. */
export function readMachineTime() {
  let busy = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, total: busy + idle };
}
