// An engine whose log is written to a database on this machine's disk first. A record is safe once it is
// there, and is forwarded to the shared engine in the background. So an outage of the shared engine blocks
// no call, and the next start of a killed process forwards what it left.

import type { SpoolDepth, SpooledEngine } from "@vitrine/gateway/cluster-port";
import type { Engine, Log } from "@vitrine/gateway/engine";
import { PartitionSpool } from "./partition-spool.ts";

/** How a log is spooled. */
export interface SpoolOptions {
  /** An engine on this machine that only this process uses. */
  local: Engine;
  /** The id of the shared log. A spool with records of another log isn't forwarded. */
  logId?: string;
  /** Called when records can't be forwarded; they stay in the spool and are tried again. */
  onError?(error: unknown): void;
}

/** Puts a spool in front of some partitions of the log. First forwards what an earlier process left. */
export async function openSpooledEngine(
  remote: Engine,
  { local, logId, onError = () => {} }: SpoolOptions,
  partitions: readonly string[],
): Promise<SpooledEngine> {
  const spools = new Map<string, PartitionSpool>();
  for (const partition of partitions) {
    spools.set(partition, await PartitionSpool.open(partition, { remote, local, logId, onError }));
  }
  await Promise.all([...spools.values()].map((spool) => spool.drained()));
  const { log: shared } = remote;
  const log: Log = {
    append: (partition, batch, options) =>
      (spools.get(partition) ?? shared).append(partition, batch, options),
    read: (...args) => shared.read(...args),
    bounds: (...args) => shared.bounds(...args),
    trim: (...args) => shared.trim(...args),
    ...(shared.bytes && { bytes: shared.bytes.bind(shared) }),
  };
  return {
    ...{ log, blob: remote.blob, caps: remote.caps },
    kv: (bucket, options) => remote.kv(bucket, options),
    get depth(): SpoolDepth {
      const depths = [...spools.values()].map((spool) => spool.depth);
      const sum = (name: keyof SpoolDepth): number =>
        depths.reduce((total, depth) => total + depth[name], 0);
      return { batches: sum("batches"), bytes: sum("bytes") };
    },
    close: async () => {
      for (const spool of spools.values()) spool.close();
      await local.close();
    },
  };
}
