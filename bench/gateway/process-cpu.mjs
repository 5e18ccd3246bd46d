// CPU time of other processes, all their threads together, to the nanosecond where /proc has it. Linux only.

import { readdirSync, readFileSync } from "node:fs";

/** Microseconds that the threads of these processes have run; those that have ended do not count. */
export function cpuOf(...pids) {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      try {
        const [ran] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
        nanoseconds += Number(ran);
      } catch {
        // The thread ended between the listing and the reading.
      }
    }
  }
  return nanoseconds / 1_000;
}

/** Bytes of memory that a process holds in RAM. */
export function residentOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
