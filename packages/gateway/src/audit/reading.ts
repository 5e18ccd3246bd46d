// Reads records back: as objects, as lines of JSON, or as they are written.

import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../engine/engine.ts";
import { toAscii } from "./ascii.ts";
import { decodeStep, PARTITION, readStepHead } from "./chain.ts";
import type { AuditRecord } from "./record.ts";

/** A record with its node and run. */
export interface ReadRecord extends AuditRecord {
  readonly node: string;
  readonly epoch: number;
  /** The position of its step in the log. */
  readonly place: number;
}

/** Which records to read. */
export interface ReadOptions {
  log: Pick<Log, "read" | "bounds">;
  /** Position in the log. */
  from?: number;
  /** Selects records. */
  where?(record: ReadRecord): boolean;
}

/** Reads the available records. Damaged ones are left to `verifyAudit`. */
export async function* readAudit({
  log,
  from = 0,
  where = () => true,
}: ReadOptions): AsyncGenerator<ReadRecord> {
  for await (const { sequence: place, record } of log.read(PARTITION, from)) {
    for (const found of recordsOf(record, place)) if (where(found)) yield found;
  }
}

/** The records as lines of ASCII JSON, each with a line break. */
export async function* exportAudit(options: ReadOptions): AsyncGenerator<string> {
  for await (const record of readAudit(options)) yield `${toAscii(JSON.stringify(record))}\n`;
}

/** Which records to follow. */
export interface TailOptions extends ReadOptions {
  /** How many of the existing records to return. Defaults to 10. */
  last?: number;
  /** Continues with new records until aborted. */
  follow?: AbortSignal;
  /** Milliseconds between two polls. */
  interval?: number;
}

/** The last records, then new ones. */
export async function* tailAudit({
  last = 10,
  follow,
  interval = 250,
  ...options
}: TailOptions): AsyncGenerator<ReadRecord> {
  const { log } = options;
  let bounds = await log.bounds(PARTITION);
  if (bounds) yield* await lastRecords(options, last, bounds);
  let shown = bounds?.last ?? 0;
  while (follow && !follow.aborted) {
    await sleep(interval, undefined, { signal: follow }).catch(() => {});
    bounds = await log.bounds(PARTITION);
    if (!bounds || bounds.last <= shown) continue;
    for await (const record of readAudit({ ...options, from: shown + 1 })) {
      if (record.place > bounds.last || follow.aborted) break;
      yield record;
    }
    shown = bounds.last;
  }
}

// A step contains many records, or none that match, so it searches further and further back.
async function lastRecords(
  options: ReadOptions,
  count: number,
  bounds: { first: number; last: number },
): Promise<ReadRecord[]> {
  for (let back = count; ; back *= 4) {
    const from = Math.max(bounds.first, bounds.last - back);
    const found: ReadRecord[] = [];
    for await (const record of readAudit({ ...options, from })) {
      if (record.place > bounds.last) break;
      found.push(record);
      if (found.length > count) found.shift();
    }
    if (found.length >= count || from === bounds.first) return found;
  }
}

/** When a step was written, in milliseconds since 1970. Not a number if it isn't a step. */
export function timeOf(bytes: Uint8Array): number {
  return Date.parse(`${readStepHead(bytes)?.time}`);
}

/** The records of a step. */
export function* recordsOf(bytes: Uint8Array, place: number): Generator<ReadRecord> {
  if (!readStepHead(bytes)) return;
  const step = decodeStep(bytes, []);
  if (!step) return;
  const { node, epoch } = step.head;
  for (const { json } of step.lines) {
    try {
      yield { ...(JSON.parse(json) as AuditRecord), node, epoch, place };
    } catch {
      // No longer a record.
    }
  }
}
