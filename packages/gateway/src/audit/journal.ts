// What keeps records from the end of a process that is killed: each is written to a file before anybody acts
// on it, which the system keeps whatever becomes of the process, and a microsecond or two is all it takes. It
// is not synced: what a loss of power takes is what the engine has not acknowledged. Whatever the engine has
// is let go of here. What is left at the next start is recorded then, and marked as such, because between the
// two it lay outside of the chain.

import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";

/** Records of a life that was killed. */
export interface LeftRecords {
  readonly node: string;
  readonly epoch: number;
  /** As they were made; some of them may have been stored. */
  readonly lines: readonly string[];
}

/** A journal. */
export interface Journal {
  /** Of lives before this one, the oldest first. */
  readonly left: readonly LeftRecords[];
  /** Begins this life, with the lines that are not stored; from then on what was left is gone. */
  begin(life: { node: string; epoch: number }, lines: readonly string[]): void;
  /** Throws what the system said. */
  add(line: string): void;
  /** These are not stored yet, all others are. */
  settle(lines: readonly string[]): void;
  /** Closes it; empty, if everything is stored. */
  close(options: { isStored: boolean }): void;
}

/** Bytes after which it begins anew, once nothing in it is needed, and in any case. */
const TIDY = 64 * 1024;
const LARGEST = 4 * 2 ** 20;
const NUMBER = /^\{"sequence":(\d{1,16})/;

/** Opens a journal: two files beside each other, of which one is in use. */
export function openJournal(path: string): Journal {
  const names = [`${path}-a`, `${path}-b`] as const;
  const files = names.map((name) => openSync(name, "a+", 0o600)) as [number, number];
  const left = names.flatMap((name) => readLeft(name)).sort((a, b) => a.epoch - b.epoch);
  let at: 0 | 1 = 0;
  let head = "";
  let size = 0;

  /** Goes on in the other file; the one before is emptied when that is done. */
  const turnOver = (lines: readonly string[]): void => {
    const next = at === 0 ? 1 : 0;
    ftruncateSync(files[next], 0);
    const text = [head, ...lines, ""].join("\n");
    writeAll(files[next], text);
    ftruncateSync(files[at], 0);
    at = next;
    size = text.length;
  };

  return {
    left,
    begin: (life, lines) => {
      head = JSON.stringify({ journal: 1, ...life });
      // Into the one that holds less of what is left, so that a kill right here loses nothing.
      at = readLeft(names[0]).length > 0 ? 0 : 1;
      turnOver(lines);
    },
    add: (line) => {
      const text = `${line}\n`;
      try {
        writeAll(files[at], text);
      } catch (error) {
        // Half a line would spoil the next.
        ftruncateSync(files[at], size);
        throw error;
      }
      size += text.length;
    },
    settle: (lines) => {
      if (size <= TIDY || (size <= LARGEST && lines.length > 0)) return;
      try {
        turnOver(lines);
      } catch {
        // No room for the other: this one goes on, and what it has too much of does no harm.
      }
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
 * The lines of a life that came after its last record in the log, as records of another life: numbered from
 * `next` on, with what they were before.
 */
export function renumber(
  left: readonly LeftRecords[],
  lastOf: ReadonlyMap<number, number>,
  next: number,
): string[] {
  const found = new Map<string, string>();
  for (const { epoch, lines } of left) {
    for (const line of lines) {
      const sequence = Number(NUMBER.exec(line)?.[1]);
      const isNew = sequence > (lastOf.get(epoch) ?? 0);
      // A line is whole that ends as it should: what it says was never anybody's to choose but ours.
      if (isNew && line.endsWith("}")) found.set(`${epoch}:${sequence}`, line);
    }
  }
  return [...found].map(([name, line], at) => {
    const [epoch, sequence] = name.split(":");
    const own = line.replace(NUMBER, `{"sequence":${next + at}`).slice(0, -1);
    return `${own},"recovered":{"epoch":${epoch},"sequence":${sequence}}}`;
  });
}

/** Lines are ASCII, so a text is as long as its bytes. */
function writeAll(file: number, text: string): void {
  for (let from = 0; from < text.length; ) {
    from += writeSync(file, from === 0 ? text : text.slice(from), null, "latin1");
  }
}

function readLeft(name: string): LeftRecords[] {
  const [first = "", ...lines] = readFileSync(name, "latin1").split("\n");
  // What comes after the last line break is half a line, or nothing.
  lines.pop();
  try {
    const { journal, node, epoch } = JSON.parse(first) as Record<string, unknown>;
    if (journal !== 1 || typeof node !== "string" || typeof epoch !== "number") return [];
    return [{ node, epoch, lines }];
  } catch {
    return [];
  }
}
