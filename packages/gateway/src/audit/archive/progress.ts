// The progress of each archive, in a bucket that all processes share: records that aren't archived may not be
// deleted, wherever the archive is and whichever process deletes.

import type { Engine } from "../../engine/engine.ts";

/** The progress of an archive. */
export interface ArchiveProgress {
  readonly id: string;
  /** Position of its last step, or 0 while it is unknown. */
  readonly place: number;
  /** The writing process and its folder. */
  readonly node: string;
  readonly folder: string;
  readonly time: string;
}

export const ARCHIVES_BUCKET: string = "audit-archives";

/** Publishes the progress of an archive. */
export async function writeProgress(
  { kv }: Pick<Engine, "kv">,
  progress: ArchiveProgress,
): Promise<void> {
  const bucket = kv(ARCHIVES_BUCKET, { durable: true });
  await bucket.put(progress.id, Buffer.from(JSON.stringify(progress)));
}

/** All archives that were ever written and not removed. */
export async function readProgress({ kv }: Pick<Engine, "kv">): Promise<ArchiveProgress[]> {
  const bucket = kv(ARCHIVES_BUCKET, { durable: true });
  const all: ArchiveProgress[] = [];
  for await (const key of bucket.keys()) {
    const entry = await bucket.get(key);
    if (entry) all.push(JSON.parse(Buffer.from(entry.value).toString()) as ArchiveProgress);
  }
  return all;
}

/** The archive that is furthest behind. Undefined if there is none. */
export async function slowestArchive(
  engine: Pick<Engine, "kv">,
): Promise<ArchiveProgress | undefined> {
  const all = await readProgress(engine);
  return all.sort((a, b) => a.place - b.place)[0];
}
