// Reads the records back, for whoever looks: as objects, as lines of JSON, as they come.

import type { Log } from "../engine/engine.ts";
import { toAscii } from "./ascii.ts";
import { decodeStep, readStepHead } from "./chain.ts";
import type { AuditRecord } from "./record.ts";

/** A record and whose it is. */
export interface ReadRecord extends AuditRecord {
  readonly node: string;
  readonly epoch: number;
  /** Where its step lies in the log. */
  readonly place: number;
}

/** What to read. */
export interface ReadOptions {
  log: Pick<Log, "read" | "bounds">;
  partition?: string;
  /** Place in the log. */
  from?: number;
  /** Which records to keep. */
  where?(record: ReadRecord): boolean;
}

/** Reads the records that are there. What is damaged is left to `verifyAudit`. */
export async function* readAudit({
  log,
  partition = "audit",
  from = 0,
  where = () => true,
}: ReadOptions): AsyncGenerator<ReadRecord> {
  for await (const { sequence: place, record } of log.read(partition, from)) {
    for (const found of recordsOf(record, place)) if (where(found)) yield found;
  }
}

/** The records as lines of JSON in ASCII, each with its end. */
export async function* exportAudit(options: ReadOptions): AsyncGenerator<string> {
  for await (const record of readAudit(options)) yield `${toAscii(JSON.stringify(record))}\n`;
}

/** What to follow. */
export interface TailOptions extends ReadOptions {
  /** How many of the records that are there, 10 unless told. */
  last?: number;
  /** Goes on with what comes, until it is aborted. */
  follow?: AbortSignal;
  /** How often to look, in milliseconds. */
  interval?: number;
}

/** The last records, and those that come. */
export async function* tailAudit({
  last = 10,
  follow,
  interval = 250,
  ...options
}: TailOptions): AsyncGenerator<ReadRecord> {
  const { log, partition = "audit" } = options;
  let bounds = await log.bounds(partition);
  if (bounds) yield* await lastRecords(options, last, bounds);
  let shown = bounds?.last ?? 0;
  while (follow && !follow.aborted) {
    await pause(interval, follow);
    bounds = await log.bounds(partition);
    if (!bounds || bounds.last <= shown) continue;
    for await (const record of readAudit({ ...options, from: shown + 1 })) {
      if (record.place > bounds.last || follow.aborted) break;
      yield record;
    }
    shown = bounds.last;
  }
}

// A step holds many records, or none that is wanted: it looks further and further back.
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

function* recordsOf(bytes: Uint8Array, place: number): Generator<ReadRecord> {
  if (!readStepHead(bytes)) return;
  const step = decodeStep(bytes, undefined);
  if (!step) return;
  const { node, epoch } = step.head;
  for (const { json } of step.lines) {
    try {
      yield { ...(JSON.parse(json) as AuditRecord), node, epoch, place };
    } catch {
      // Not a record any more.
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
