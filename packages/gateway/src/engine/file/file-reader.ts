// Looks into the folder of an engine that may be running: for `audit verify`, `tail` and `export`. It takes
// no lock and mends nothing; what is just being written is not there yet.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Kv, Log, LogRecord } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { Dispatch } from "../local/dispatch.ts";
import { KvTable } from "../local/kv-table.ts";
import { checkBucket, checkPartition } from "../names.ts";
import { isMissing } from "./disk-error.ts";
import { readJournal } from "./durable-bucket.ts";
import { listSegments } from "./partition.ts";
import { breakError, Segment } from "./segment.ts";

/** What can be read of a folder without having it. */
export interface FileReader {
  readonly log: Pick<Log, "read" | "bounds">;
  /** A durable bucket, as it is at each call. */
  kv(bucket: string): Pick<Kv, "get" | "keys">;
}

const LENIENT = { mayBeTorn: true, onNotice: () => {} };

/** Looks into a folder; fails with `invalid` where there never was an engine. */
export async function openFileReader({ folder }: { folder: string }): Promise<FileReader> {
  await stat(join(folder, "generation")).catch((cause: unknown) => {
    const text = `${folder} is no folder of an engine; name the one the gateway has in its config.`;
    throw new EngineError(isMissing(cause) ? "invalid" : "unavailable", text, { cause });
  });
  const partition = (name: string): string => {
    checkPartition(name);
    return join(folder, "log", name);
  };
  return {
    log: {
      read: (name, from = 0) => readPartition(partition(name), from),
      bounds: (name) => boundsOf(partition(name)),
    },
    kv: (bucket) => {
      checkBucket(bucket);
      const path = join(folder, "kv", `${bucket}.journal`);
      const load = async (): Promise<KvTable> => {
        const table = new KvTable(new Dispatch(() => {}));
        await readJournal(path, table, LENIENT);
        return table;
      };
      return {
        get: async (key) => (await load()).get(key),
        keys: async function* (prefix) {
          yield* (await load()).keys(prefix);
        },
      };
    },
  };
}

async function* readPartition(folder: string, from: number): AsyncGenerator<LogRecord> {
  const slots = await listSegments(folder);
  for (const [place, { first, path }] of slots.entries()) {
    const next = slots[place + 1]?.first;
    if (next !== undefined && next <= from) continue;
    const segment = await Segment.load(path, first, LENIENT);
    if (next !== undefined && segment?.next !== next) {
      // Whoever has the folder may have trimmed it since it was listed.
      if (!segment && place === 0) continue;
      throw breakError(path, segment, next);
    }
    if (segment) yield* segment.read(from, segment.next);
  }
}

async function boundsOf(folder: string): Promise<{ first: number; last: number } | undefined> {
  const slots = await listSegments(folder);
  const newest = slots.at(-1);
  const segment = newest && (await Segment.load(newest.path, newest.first, LENIENT));
  const first = slots[0]?.first ?? 1;
  const next = segment?.next ?? newest?.first ?? 1;
  return first < next ? { first, last: next - 1 } : undefined;
}
