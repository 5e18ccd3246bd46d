// A disk so small that it can be filled, in the mounts of one process and of no other.

import { spawnSync } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";

/** A mount of one's own needs root or user namespaces, which not every machine has. */
export function canMount(): boolean {
  return spawnSync("unshare", ["-rm", "true"]).status === 0;
}

/** What stands before a command whose folder is a disk of a size such as `2m`. */
export function onSmallDisk(folder: string, size: string): string[] {
  const mount = `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`;
  return ["unshare", "-rm", "sh", "-c", mount, folder];
}

/** A folder as a process sees it. */
export function seenBy({ pid }: { readonly pid: number }, path: string): string {
  return `/proc/${pid}/root${path}`;
}

/** Writes until nothing more fits; the name of what fills the disk. */
export async function fill(folder: string): Promise<string> {
  const path = join(folder, "ballast");
  const file = await open(path, "w");
  for (let block = Buffer.alloc(65_536); block.length > 0; ) {
    const { bytesWritten } = await file.write(block).catch(() => ({ bytesWritten: 0 }));
    if (bytesWritten === 0) block = block.subarray(0, block.length >> 1);
  }
  await file.close();
  return path;
}
