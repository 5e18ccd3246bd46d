// Buckets are JetStream key-value buckets, which the NATS tools can show: one message for each key, and the
// stream's sequence is the revision. All use file storage, even for short-lived values: a stream in memory
// restarts its sequence when the servers restart, and a fencing token would be used twice.

import type { BucketOptions } from "@vitrine/gateway/engine";
import { EngineError } from "@vitrine/gateway/engine";
import type { Connection } from "./connection.ts";
import { ensureStream, nanoseconds, type StreamConfig } from "./streams.ts";

/** How long the marker of a deleted or expired key stays. A watch that was down for longer compares all keys. */
export const MARK_SECONDS = 3_600;
/** The minimum of NATS. A lease that lives slightly too long is harmless. */
const LEAST_TTL = 100;
const TTL = "vitrine-ttl";
const DURABLE = "vitrine-durable";

export interface BucketPlace {
  readonly stream: string;
  /** Prefix of the keys' subjects. */
  readonly subject: string;
}

export function placeOf(prefix: string, bucket: string): BucketPlace {
  return { stream: `KV_${prefix}_${bucket}`, subject: `$KV.${prefix}_${bucket}.` };
}

/**
 * Creates a bucket, or uses the existing one. An option that a process leaves out stays open; the first process
 * that sets it decides.
 */
export async function ensureBucket(
  connection: Connection,
  { stream, subject }: BucketPlace,
  { bucket, wanted, replicas }: { bucket: string; wanted: BucketOptions; replicas: number },
): Promise<void> {
  const metadata = metadataOf(wanted);
  const config: StreamConfig = {
    name: stream,
    subjects: [`${subject}>`],
    storage: "file",
    num_replicas: replicas,
    max_msgs_per_subject: 1,
    discard: "new",
    // Reads go to the leader: a replica may be behind, and a revoked grant be seen there for a while.
    allow_direct: false,
    allow_rollup_hdrs: true,
    deny_delete: true,
    allow_msg_ttl: true,
    subject_delete_marker_ttl: nanoseconds(MARK_SECONDS * 1_000),
    metadata,
    ...ageOf(wanted),
  };
  await ensureStream(connection, config, (has) => {
    const known = has.metadata ?? {};
    const missing = Object.keys(metadata).filter((option) => known[option] === undefined);
    for (const [option, value] of Object.entries(metadata)) {
      if (known[option] !== undefined && known[option] !== value) {
        throw optionError(bucket, option, { has: known[option], wanted: value });
      }
    }
    if (missing.length === 0) return undefined;
    return {
      metadata: { ...known, ...metadata },
      ...(missing.includes(TTL) && ageOf(wanted)),
    };
  });
}

/** Rejects options that differ from those this process set before. */
export function checkOptions(bucket: string, wanted: BucketOptions, before: BucketOptions): void {
  for (const option of ["ttl", "durable"] as const) {
    if (wanted[option] === undefined || before[option] === undefined) continue;
    if (wanted[option] === before[option]) continue;
    const values = { has: String(before[option]), wanted: String(wanted[option]) };
    throw optionError(bucket, option, values);
  }
}

function metadataOf({ ttl, durable }: BucketOptions): Record<string, string> {
  return {
    ...(ttl !== undefined && { [TTL]: String(ttl) }),
    ...(durable !== undefined && { [DURABLE]: String(durable) }),
  };
}

function ageOf({ ttl }: BucketOptions): { max_age?: number; duplicate_window?: number } {
  if (ttl === undefined || ttl === Number.POSITIVE_INFINITY) return {};
  const age = Math.max(ttl, LEAST_TTL);
  // NATS remembers ids no longer than messages; nothing in a bucket has one.
  return { max_age: nanoseconds(age), duplicate_window: nanoseconds(Math.min(age, 1_000)) };
}

function optionError(
  bucket: string,
  option: string,
  { has, wanted }: { has: string; wanted: string },
): EngineError {
  const name = option.replace("vitrine-", "");
  const text = `The bucket "${bucket}" has ${name} ${has}, not ${wanted}; use the same everywhere.`;
  return new EngineError("invalid", text);
}
