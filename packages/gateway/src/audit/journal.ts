// What keeps records from the end of a process that is killed: they are written to a file before anybody acts
// on them, which the system keeps whatever becomes of the process. It is not synced: what a loss of power takes
// is what the engine has not acknowledged. What is left at the next start is recorded then, and marked as such,
// because between the two it lay outside of the chain.
//
// There are two files, and a file is written over from its beginning once everything in it is stored: its
// pages are there already, and nothing has to be removed. Records lie in groups of one write each:
//
//   journal 2 <life> <node> <epoch> <bytes> <crc32>
//   {"sequence":…}
//
// What is left of an older round behind the newest group is no harm: it is stored, by its number, or it was
// written in an earlier life, whose records the first group of the next life took over.

import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { Sheet } from "./sheet.ts";

/** Records of a life that was killed. */
export interface LeftRecords {
  readonly node: string;
  readonly epoch: number;
  /** As they were made; some of them may have been stored. */
  readonly lines: readonly string[];
}

/** A journal. */
export interface Journal {
  /** Of the life before this one. */
  readonly left: readonly LeftRecords[];
  /** Begins this life, with the records that are not stored, numbered from 1 on. */
  begin(life: { node: string; epoch: number }, lines: readonly string[]): void;
  /**
   * Takes the record of a number. It is written at once, and if that fails this throws what the system said;
   * where many come within one turn and may share a write, with them.
   */
  add(line: string, options: { sequence: number; mayWait: boolean }): void;
  /** What those who share a write wait for; nothing where all is written. */
  written(): Promise<void> | undefined;
  /** The records up to this one are stored. */
  settle(sequence: number): void;
  /** Closes it; empty, if everything is stored. */
  close(options: { isStored: boolean }): void;
}

/** Bytes after which the other file is used, as soon as what is in it is stored. */
const TIDY = 128 * 1024;
const GROUP_HEAD = 160;
const GROUP_BYTES = 64 * 1024;
/** Milliseconds after a write within which the next may wait for others. */
const BUSY = 0.1;
const NUMBER = /^\{"sequence":(\d{1,16})/;
const HEAD = /^(journal 2 (\d{1,15}) ([\w-]{1,64}) (\d{1,16})) (\d{1,10}) ([0-9a-f]{8})\n/;

/** Opens a journal: two files beside each other, of which one is in use. */
export function openJournal(path: string): Journal {
  const names = [`${path}-a`, `${path}-b`] as const;
  const { O_RDWR, O_CREAT } = constants;
  const files = names.map((name) => openSync(name, O_RDWR | O_CREAT, 0o600)) as [number, number];
  const found = names.map(readGroups) as [Groups, Groups];
  const groups = found.flatMap((each) => each.groups);
  const lastLife = Math.max(0, ...groups.map(({ life }) => life));
  /** Numbers of the last records in the files; what the second has of the life before is needed until `begin`. */
  const last: [number, number] = [0, Number.POSITIVE_INFINITY];
  const sheet = new Sheet({ head: GROUP_HEAD, lines: GROUP_BYTES, tail: 0 });
  let at: 0 | 1 = 0;
  let position = found[0].end;
  let prefix = "";
  let newest = 0;
  let stored = 0;
  let wroteAt = 0;
  let waiting: Promise<void> | undefined;

  const write = (lines: Sheet): void => {
    const other = at === 0 ? 1 : 0;
    if (position >= TIDY && last[other] <= stored) {
      at = other;
      position = 0;
    }
    const { body } = lines;
    const bytes = lines.under(`${prefix} ${body.length} ${toHex(sumOf(prefix, body))}\n`);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(files[at], bytes, done, bytes.length - done, position + done);
    }
    position += bytes.length;
    last[at] = newest;
  };

  /** What could not be written is not kept for another try: the log has it, or nobody acted on it. */
  const flush = (): void => {
    if (sheet.count === 0) return;
    try {
      write(sheet);
    } finally {
      sheet.clear();
      wroteAt = performance.now();
    }
  };

  /** A write that everything that comes within this turn may share. */
  const atTurnsEnd = (): Promise<void> => {
    const turn = new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        waiting = undefined;
        try {
          flush();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    // Perhaps nobody waits.
    turn.catch(() => {});
    return turn;
  };

  return {
    left: groups.filter(({ life }) => life === lastLife),
    begin: ({ node, epoch }, lines) => {
      prefix = `journal 2 ${lastLife + 1} ${node} ${epoch}`;
      const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
      const all = new Sheet({ head: GROUP_HEAD, lines: size, tail: 0 });
      for (const line of lines) all.add(line);
      // One group, which is there whole or not at all, behind what it takes over.
      newest = lines.length;
      write(all);
      last[1] = 0;
    },
    add: (line, { sequence, mayWait }) => {
      if (!sheet.hasRoom(line.length + 1)) flush();
      const isLong = !sheet.hasRoom(line.length + 1);
      const lines = isLong
        ? new Sheet({ head: GROUP_HEAD, lines: line.length + 1, tail: 0 })
        : sheet;
      lines.add(line);
      newest = sequence;
      if (isLong) write(lines);
      else if (mayWait && (waiting || performance.now() - wroteAt < BUSY)) waiting ??= atTurnsEnd();
      else flush();
    },
    written: () => waiting,
    settle: (sequence) => {
      stored = sequence;
    },
    close: ({ isStored }) => {
      try {
        flush();
      } catch {
        // Nobody was told that it is written.
      }
      for (const file of files) {
        if (isStored) ftruncateSync(file, 0);
        closeSync(file);
      }
    },
  };
}

/**
 * The lines of a life that came after its last record in the log, as records of another life: numbered from
 * `next` on, with what they were before.
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
  // One file may hold the end of what began in the other.
  const inOrder = [...found].sort(([a], [b]) => a - b);
  return inOrder.map(([sequence, { epoch, line }], at) => {
    const own = line.replace(NUMBER, `{"sequence":${next + at}`).slice(0, -1);
    return `${own},"recovered":{"epoch":${epoch},"sequence":${sequence}}}`;
  });
}

interface Groups {
  groups: (LeftRecords & { life: number })[];
  /** Where the last of them ends. */
  end: number;
}

/** The groups of a file, up to the first place where there is none. */
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
    // What comes after the last line break is nothing.
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
