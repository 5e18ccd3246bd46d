// Reads an archive as a log, even while it is being written: for `audit verify`, `tail` and `export`. It
// takes no lock and repairs nothing. Damaged parts are left out, so that the chain shows which records they
// are. `check` reports problems of the files themselves.

import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import type { Kv, Log, LogRecord } from "../../engine/engine.ts";
import { HEADS_BUCKET } from "../chain-writer.ts";
import type { ChainHead } from "../sealed-head.ts";
import { ArchiveError } from "./archive-error.ts";
import { listSegments, readIdentity, readIndex, type SegmentName } from "./segment-index.ts";
import { readMembers, type SegmentFigures } from "./segment-survey.ts";

/** A problem with a file of an archive. */
export interface SegmentFinding {
  /** `removed` if the oldest segments are missing, which somebody may have moved elsewhere. */
  readonly kind: "removed" | "missing" | "changed" | "torn";
  readonly segment: string;
  readonly text: string;
}

/** An archive as a log. */
export interface ArchiveReader {
  readonly log: Pick<Log, "read" | "bounds">;
  /** The bucket of heads from the index, by which a missing end is detected. */
  kv(bucket: string): Pick<Kv, "get" | "keys">;
  /** Compares the files with the index. */
  check(): AsyncGenerator<SegmentFinding>;
}

/** A segment with its entry in the index. */
interface Slot extends SegmentName {
  readonly path: string;
  readonly figures: SegmentFigures | undefined;
  /** Where the next segment starts. */
  readonly before: number | undefined;
}

/** Opens an archive. Rejects with `missing` if there is none. */
export async function openArchiveReader(folder: string): Promise<ArchiveReader> {
  if (!(await readIdentity(folder))) {
    const text = `${folder} isn't an archive. Pass the folder in audit.archive.folder.`;
    throw new ArchiveError("missing", text);
  }
  return {
    log: { read: (_, from = 0) => readSlots(folder, from), bounds: () => boundsOf(folder) },
    kv: (bucket) => headsOf(folder, bucket),
    check: () => checkSegments(folder),
  };
}

async function slotsOf(folder: string): Promise<Slot[]> {
  const { lines } = await readIndex(folder);
  const known = new Map(lines.map((figures) => [figures.segment, figures]));
  const segments = await listSegments(folder);
  return segments.map(({ name, first }, at) => ({
    ...{ name, first, path: join(folder, name), figures: known.get(name) },
    before: segments[at + 1]?.first,
  }));
}

async function* readSlots(folder: string, from: number): AsyncGenerator<LogRecord> {
  for (const { path, figures, before } of await slotsOf(folder)) {
    if (before !== undefined && before <= from) continue;
    const range = { from, before, end: figures?.bytes };
    try {
      for await (const { records } of readMembers(path, range)) yield* records;
    } catch (error) {
      // Moved away since it was listed.
      if (existsSync(path)) throw error;
    }
  }
}

async function boundsOf(folder: string): Promise<{ first: number; last: number } | undefined> {
  const slots = await slotsOf(folder);
  let last = 0;
  for (const { path, figures, before } of slots.toReversed()) {
    if (figures) last = figures.last;
    else {
      for await (const { records } of readMembers(path, { before })) {
        last = records.at(-1)?.sequence ?? last;
      }
    }
    if (last > 0) break;
  }
  return last > 0 ? { first: slots[0]?.first ?? last, last } : undefined;
}

function headsOf(folder: string, bucket: string): Pick<Kv, "get" | "keys"> {
  const load = async (): Promise<Map<string, ChainHead>> => {
    const heads = new Map<string, ChainHead>();
    if (bucket !== HEADS_BUCKET) return heads;
    for (const { chains } of (await readIndex(folder)).lines) {
      for (const head of chains) heads.set(`${head.node}.${head.epoch}`, head);
    }
    return heads;
  };
  return {
    get: async (key) => {
      const head = (await load()).get(key);
      return head && { key, revision: 1, value: Buffer.from(JSON.stringify(head)) };
    },
    keys: async function* (prefix = "") {
      for (const key of (await load()).keys()) if (key.startsWith(prefix)) yield key;
    },
  };
}

async function* checkSegments(folder: string): AsyncGenerator<SegmentFinding> {
  const { lines } = await readIndex(folder);
  let isStart = true;
  for (const figures of lines) {
    const { segment, first, last, records, bytes, sha256 } = figures;
    const path = join(folder, segment);
    const what = `${segment} (positions ${first} to ${last}, ${records} records)`;
    if (!existsSync(path)) {
      const kind = isStart ? "removed" : "missing";
      yield { kind, segment, text: `${what} is in the index but not in the folder.` };
      continue;
    }
    isStart = false;
    const sum = await sumOf(path, bytes);
    if (sum !== sha256) {
      yield { kind: "changed", segment, text: `${what} differs from the index.` };
    }
  }
  for (const slot of await slotsOf(folder)) {
    const finding = slot.figures ? undefined : await checkOpen(slot);
    if (finding) yield finding;
  }
}

/** A segment that isn't in the index: the newest, or one that a killed process left. */
async function checkOpen({ name, path, before }: Slot): Promise<SegmentFinding | undefined> {
  const members = readMembers(path, { before });
  let step = await members.next();
  while (!step.done) step = await members.next();
  if (!step.value) return undefined;
  const { offset, inTheMiddle } = step.value;
  const text = inTheMiddle
    ? `${name} is damaged at byte ${offset}, and more follows.`
    : `${name} ends with an incomplete batch: it is being written, or a process was killed.`;
  return { kind: inTheMiddle ? "changed" : "torn", segment: name, text };
}

async function sumOf(path: string, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { end: Math.max(0, bytes - 1) })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}
