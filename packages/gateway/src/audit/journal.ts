// Protects records from the kill of the process: they are written to a file before the call continues, and
// the operating system keeps the file. It isn't synced, so a power failure loses what the engine hasn't
// acknowledged. At the next start, the remaining records are stored and marked as recovered, because they
// were outside the chain in between.
//
// There are two files. A file is overwritten from its start once everything in it is stored, so its pages are
// already allocated and nothing has to be deleted. Records are in groups of one write each:
//
//   journal 2 <life> <node> <epoch> <bytes> <crc32>
//   {"sequence":…}
//
// Older data behind the newest group does no harm: it is either stored, by its number, or from an earlier
// run, whose records the first group of the next run took over.

import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Records of a killed run. */
export interface LeftRecords {
  readonly node: string;
  readonly epoch: number;
  /** The lines as written. Some of them may have been stored. */
  readonly lines: readonly string[];
}

/** A journal. */
export interface Journal {
  /** Records of the previous run. */
  readonly left: readonly LeftRecords[];
  /** Starts this run with the records that aren't stored, numbered from 1. */
  begin(life: { node: string; epoch: number }, lines: readonly string[]): void;
  /** Writes the record with this number. Throws the system's error if that fails. */
  add(line: string, sequence: number): void;
  /** Marks the records up to this one as stored. */
  settle(sequence: number): void;
  /** Closes the journal. Empties it if everything is stored. */
  close(options: { isStored: boolean }): void;
}

/** Bytes after which the other file is used, once its content is stored. */
const TIDY = 128 * 1024;
const GROUP_HEAD = 160;
const NUMBER = /^\{"sequence":(\d{1,16})/;
const HEAD = /^(journal 2 (\d{1,15}) ([\w-]{1,64}) (\d{1,16})) (\d{1,10}) ([0-9a-f]{8})\n/;

/** Opens a journal: two files next to each other, one of them in use. */
export function openJournal(path: string): Journal {
  const names = [`${path}-a`, `${path}-b`] as const;
  const { O_RDWR, O_CREAT } = constants;
  const files = names.map((name) => openSync(name, O_RDWR | O_CREAT, 0o600)) as [number, number];
  const found = names.map(readGroups) as [Groups, Groups];
  const groups = found.flatMap((each) => each.groups);
  const lastLife = Math.max(0, ...groups.map(({ life }) => life));
  /**
   * Numbers of the last records in the files. The second file's records of the previous run are needed until
   * `begin`.
   */
  const last: [number, number] = [0, Number.POSITIVE_INFINITY];
  let at: 0 | 1 = 0;
  let position = found[0].end;
  let prefix = "";
  let stored = 0;

  const write = (lines: readonly string[], newest: number): void => {
    const other = at === 0 ? 1 : 0;
    if (position >= TIDY && last[other] <= stored) {
      at = other;
      position = 0;
    }
    const body = Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1");
    const head = `${prefix} ${body.length} ${toHex(sumOf(prefix, body))}\n`;
    const bytes = Buffer.concat([Buffer.from(head, "latin1"), body]);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(files[at], bytes, done, bytes.length - done, position + done);
    }
    position += bytes.length;
    last[at] = newest;
  };

  return {
    left: groups.filter(({ life }) => life === lastLife),
    begin: ({ node, epoch }, lines) => {
      prefix = `journal 2 ${lastLife + 1} ${node} ${epoch}`;
      // One group, complete or absent, after the records it takes over.
      write(lines, lines.length);
      last[1] = 0;
    },
    // A record that couldn't be written isn't retried: either the log has it, or its call wasn't made.
    add: (line, sequence) => write([line], sequence),
    settle: (sequence) => {
      stored = sequence;
    },
    close: ({ isStored }) => {
      for (const file of files) {
        if (isStored) ftruncateSync(file, 0);
        closeSync(file);
      }
    },
  };
}

/**
 * The lines of a run after its last stored record, as records of another run: numbered from `next`, with
 * their original numbers.
 */
export function renumber(
  left: readonly LeftRecords[],
  lastOf: ReadonlyMap<number, number>,
  next: number,
): string[] {
  const found = new Map<number, { epoch: number; line: string }>();
  for (const { epoch, lines } of left) {
    for (const line of lines) {
      const sequence = Number(NUMBER.exec(line)?.[1]);
      if (sequence > (lastOf.get(epoch) ?? 0)) found.set(sequence, { epoch, line });
    }
  }
  // One file may contain the end of a group that began in the other.
  const inOrder = [...found].sort(([a], [b]) => a - b);
  return inOrder.map(([sequence, { epoch, line }], at) => {
    const own = line.replace(NUMBER, `{"sequence":${next + at}`).slice(0, -1);
    return `${own},"recovered":{"epoch":${epoch},"sequence":${sequence}}}`;
  });
}

interface Groups {
  groups: (LeftRecords & { life: number })[];
  /** The end of the last group. */
  end: number;
}

/** The groups of a file, up to the first invalid one. */
function readGroups(name: string): Groups {
  const bytes = readFileSync(name);
  const groups: Groups["groups"] = [];
  let end = 0;
  for (;;) {
    const head = HEAD.exec(bytes.toString("latin1", end, end + GROUP_HEAD));
    const [whole = "", prefix = "", life, node = "", epoch, length, sum] = head ?? [];
    const body = bytes.subarray(end + whole.length, end + whole.length + Number(length));
    const isWhole = body.length === Number(length) && toHex(sumOf(prefix, body)) === sum;
    if (!head || !isWhole) return { groups, end };
    // Nothing follows the last line break.
    const lines = body.toString("latin1").split("\n").slice(0, -1);
    groups.push({ life: Number(life), node, epoch: Number(epoch), lines });
    end += whole.length + body.length;
  }
}

function sumOf(prefix: string, body: Uint8Array): number {
  return crc32(body, crc32(prefix));
}

function toHex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
