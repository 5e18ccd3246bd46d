// How far each archive has come, in a bucket that all processes see: what is not archived may not be let go
// of, wherever the archive is and whoever tidies up.

import type { Engine } from "../../engine/engine.ts";

/** How far an archive has come. */
export interface ArchiveProgress {
  readonly id: string;
  /** Of its last step; 0 while it is not known. */
  readonly place: number;
  /** Who writes it, and where. */
  readonly node: string;
  readonly folder: string;
  readonly time: string;
}

export const ARCHIVES_BUCKET: string = "audit-archives";

/** Says how far an archive has come. */
export async function writeProgress(
  { kv }: Pick<Engine, "kv">,
  progress: ArchiveProgress,
): Promise<void> {
  const bucket = kv(ARCHIVES_BUCKET, { durable: true });
  await bucket.put(progress.id, Buffer.from(JSON.stringify(progress)));
}

/** All archives that were ever written and not forgotten. */
export async function readProgress({ kv }: Pick<Engine, "kv">): Promise<ArchiveProgress[]> {
  const bucket = kv(ARCHIVES_BUCKET, { durable: true });
  const all: ArchiveProgress[] = [];
  for await (const key of bucket.keys()) {
    const entry = await bucket.get(key);
    if (entry) all.push(JSON.parse(Buffer.from(entry.value).toString()) as ArchiveProgress);
  }
  return all;
}

/** The archive that is behind all others; nothing where there is none. */
export async function slowestArchive(
  engine: Pick<Engine, "kv">,
): Promise<ArchiveProgress | undefined> {
  const all = await readProgress(engine);
  return all.sort((a, b) => a.place - b.place)[0];
}
