// The content of a segment: its members one by one, and a summary.

import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { LogRecord } from "../../engine/engine.ts";
import { readStepHead } from "../chain.ts";
import type { ChainHead } from "../sealed-head.ts";
import { archiveDiskError } from "./archive-error.ts";
import { decodeMember, MEMBER_HEAD, nextMember, readMemberHead } from "./member.ts";

/** The summary of a segment: a line of the index. */
export interface SegmentFigures {
  readonly segment: string;
  /** Positions of its first and last step. */
  readonly first: number;
  readonly last: number;
  readonly steps: number;
  readonly records: number;
  /** Times of its first and last step. */
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The head of each chain at the end of the segment, which a verifier must find. */
  readonly chains: readonly ChainHead[];
}

/** Which part of a segment to read. */
export interface MemberRange {
  /** Steps from this position on. */
  from?: number;
  /** Members from this position on belong to a later segment. */
  before?: number | undefined;
  /** Bytes to read; data after them was added after the segment was closed. */
  end?: number | undefined;
}

/** A member as read from a segment. */
export interface FoundMember {
  readonly bytes: Buffer;
  readonly records: readonly LogRecord[];
}

/** The location of data that isn't a member. */
export interface SegmentDamage {
  readonly offset: number;
  /** Complete members follow, so it wasn't caused by a crash. */
  readonly inTheMiddle: boolean;
}

const END = /^end ([0-9a-f]{64})\n$/;
const END_BYTES = 69;

/** The complete members of a segment, up to the first damage. */
export async function* readMembers(
  path: string,
  { from = 0, before = Number.POSITIVE_INFINITY, end = Number.POSITIVE_INFINITY }: MemberRange = {},
): AsyncGenerator<FoundMember, SegmentDamage | undefined> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw archiveDiskError(path, error);
  });
  try {
    const size = Math.min(end, (await file.stat()).size);
    for (let at = 0; at < size; ) {
      const head = readMemberHead(await piece(file, at, Math.min(at + MEMBER_HEAD, size)));
      if (head && head.first >= before) return undefined;
      if (head && head.last < from && at + head.length <= size) {
        at += head.length;
        continue;
      }
      const isThere = head !== undefined && at + head.length <= size;
      const bytes = isThere ? await piece(file, at, at + head.length) : undefined;
      const records = bytes && decodeMember(bytes);
      if (!bytes || !records) {
        const rest = await piece(file, at, size);
        return { offset: at, inTheMiddle: nextMember(rest, 1) !== undefined };
      }
      yield { bytes, records: records.filter(({ sequence }) => sequence >= from) };
      at += bytes.length;
    }
    return undefined;
  } finally {
    await file.close();
  }
}

/** Collects the summary of a segment. */
export class SegmentSurvey {
  readonly #hash = createHash("sha256");
  readonly #chains = new Map<string, ChainHead>();
  #first = 0;
  #last = 0;
  #steps = 0;
  #records = 0;
  #from = "";
  #to = "";
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(member: Uint8Array, records: readonly LogRecord[]): void {
    this.#hash.update(member);
    this.#bytes += member.length;
    for (const { sequence: place, record } of records) {
      if (this.#steps === 0) this.#first = place;
      this.#last = place;
      this.#steps += 1;
      const head = readStepHead(record);
      if (!head) continue;
      this.#records += head.count;
      this.#from ||= head.time;
      this.#to = head.time;
      this.#chains.set(`${head.node}.${head.epoch}`, chainHeadOf(record, place));
    }
  }

  figures(segment: string): SegmentFigures {
    return {
      ...{ segment, first: this.#first, last: this.#last, steps: this.#steps },
      ...{ records: this.#records, from: this.#from, to: this.#to, bytes: this.#bytes },
      sha256: this.#hash.copy().digest("hex"),
      chains: [...this.#chains.values()],
    };
  }
}

/** The head of a chain after a step, as given by the step itself. */
export function chainHeadOf(record: Uint8Array, place: number): ChainHead {
  const head = readStepHead(record);
  const tail = Buffer.from(record).toString("latin1", Math.max(0, record.length - END_BYTES));
  const { node = "", epoch = 0, step = 0, first = 1, count = 0 } = head ?? {};
  return { node, epoch, step, hash: END.exec(tail)?.[1] ?? "", record: first + count - 1, place };
}

async function piece(file: FileHandle, from: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - from);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  return bytes.subarray(0, bytesRead);
}
