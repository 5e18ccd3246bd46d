// Buckets are JetStream's key-value buckets, as its own tools show them: one message for each key, the
// stream's sequence is the revision. All are in files, also those that need not last: a stream in memory
// begins to count anew when its servers restart, and a fencing token would be given twice.

import type { BucketOptions } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { ensureStream, nanoseconds, type StreamConfig } from "./streams.ts";

/** How long the mark of a deleted or expired key stays; who did not look for longer compares anew. */
export const MARK_SECONDS = 3_600;
/** What NATS can do; a lease that lives a moment too long does no harm. */
const LEAST_TTL = 100;
const TTL = "vitrine-ttl";
const DURABLE = "vitrine-durable";

export interface BucketPlace {
  readonly stream: string;
  /** Before a key. */
  readonly subject: string;
}

export function placeOf(prefix: string, bucket: string): BucketPlace {
  return { stream: `KV_${prefix}_${bucket}`, subject: `$KV.${prefix}_${bucket}.` };
}

/**
 * Makes a bucket, or takes the one that is there. Who says nothing of an option leaves it open, and the first
 * who says something decides.
 */
export async function ensureBucket(
  connection: Connection,
  { stream, subject }: BucketPlace,
  { bucket, wanted, replicas }: { bucket: string; wanted: BucketOptions; replicas: number },
): Promise<void> {
  const metadata = said(wanted);
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

/** Refuses options that differ from what this process said before. */
export function checkOptions(bucket: string, wanted: BucketOptions, before: BucketOptions): void {
  for (const option of ["ttl", "durable"] as const) {
    if (wanted[option] === undefined || before[option] === undefined) continue;
    if (wanted[option] === before[option]) continue;
    const values = { has: String(before[option]), wanted: String(wanted[option]) };
    throw optionError(bucket, option, values);
  }
}

function said({ ttl, durable }: BucketOptions): Record<string, string> {
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
