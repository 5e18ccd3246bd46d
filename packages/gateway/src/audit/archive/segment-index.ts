// The folder of an archive: its identity, its segments, and the index with one line per closed segment. The
// index lists what must be there. A segment without a line is the newest, or was the newest when a process
// was killed.

import { randomBytes } from "node:crypto";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { PARTITION } from "../chain.ts";
import { ArchiveError, archiveDiskError } from "./archive-error.ts";
import type { SegmentFigures } from "./segment-survey.ts";

/** The identity of an archive. */
export interface ArchiveIdentity {
  readonly archive: 1;
  readonly id: string;
  readonly partition: string;
  /** The log that is archived; missing in archives of version 0.1. */
  readonly log?: string;
}

/** A segment by its name. */
export interface SegmentName {
  readonly name: string;
  readonly first: number;
}

const IDENTITY = "archive.json";
const INDEX = "index.jsonl";
const SEGMENT = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z_(\d{16})\.gz$/;
/** Files of the archive, of the file system, and remains of an attempt. */
const HARMLESS = /^(?:lost\+found|archive\.json\.new|probe-[0-9a-f]+)|^\./;

/** A name that sorts by time and contains the segment's first position in the log. */
export function segmentName(first: number, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
  return `${time}_${String(first).padStart(16, "0")}.gz`;
}

/**
 * Turns a folder into an archive unless it is one. Rejects if it can't be written or contains something else.
 */
export async function prepareArchive(folder: string, log: string): Promise<ArchiveIdentity> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await tryToWrite(folder);
    const known = await readIdentity(folder);
    if (known?.log !== undefined && known.log !== log) {
      const text = `${folder} is the archive of another log; give each gateway without NATS an archive of its own.`;
      throw new ArchiveError("foreign", text);
    }
    if (known) return known;
    const others = (await readdir(folder)).filter((name) => !HARMLESS.test(name));
    if (others.length > 0) {
      const text = `${folder} isn't an archive and not empty (${others[0]}). Use an empty folder.`;
      throw new ArchiveError("foreign", text);
    }
    const id = randomBytes(8).toString("hex");
    const identity = { archive: 1, id, partition: PARTITION, log } as const;
    const path = join(folder, IDENTITY);
    await writeFile(`${path}.new`, `${JSON.stringify(identity)}\n`, { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
    await syncFolder(folder);
    return identity;
  } catch (error) {
    throw archiveDiskError(folder, error);
  }
}

/** The identity of a folder. Undefined if it isn't an archive. */
export async function readIdentity(folder: string): Promise<ArchiveIdentity | undefined> {
  const path = join(folder, IDENTITY);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw archiveDiskError(path, error);
  });
  if (text === undefined) return undefined;
  try {
    const identity = JSON.parse(text) as ArchiveIdentity;
    if (identity.archive === 1 && /^[0-9a-f]{16}$/.test(identity.id)) return identity;
  } catch {
    // Reported below.
  }
  throw new ArchiveError("damaged", `${path} was changed or damaged. Restore it from a copy.`);
}

/** The segments of a folder in the order of the log. */
export async function listSegments(folder: string): Promise<SegmentName[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw archiveDiskError(folder, error);
  });
  const segments = names.flatMap((name) => {
    const first = SEGMENT.exec(name)?.[1];
    return first === undefined ? [] : [{ name, first: Number(first) }];
  });
  return segments.sort((a, b) => a.first - b.first || (a.name < b.name ? -1 : 1));
}

/** The lines of the index. An incomplete last line is ignored. */
export async function readIndex(
  folder: string,
): Promise<{ lines: SegmentFigures[]; bytes: number }> {
  const path = join(folder, INDEX);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw archiveDiskError(path, error);
  });
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").slice(0, -1);
  try {
    const figures = lines.map((line) => JSON.parse(line) as SegmentFigures);
    return { lines: figures, bytes: Buffer.byteLength(whole) };
  } catch {
    throw new ArchiveError(
      "damaged",
      `${path} was changed or damaged. Restore it from a copy, or delete it: it will be created again.`,
    );
  }
}

/** The index of an archive that is being written. */
export class SegmentIndex {
  readonly lines: SegmentFigures[];
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(path: string, file: FileHandle, read: Awaited<ReturnType<typeof readIndex>>) {
    this.#path = path;
    this.#file = file;
    this.lines = read.lines;
    this.#bytes = read.bytes;
  }

  static async open(folder: string): Promise<SegmentIndex> {
    const path = join(folder, INDEX);
    const read = await readIndex(folder);
    // Lines are only appended: a process that was stopped and believed dead can't overwrite its successor's.
    const file = await open(path, "a", 0o600).catch((error: unknown) => {
      throw archiveDiskError(path, error);
    });
    const index = new SegmentIndex(path, file, read);
    await index.#cutBack();
    return index;
  }

  /** Resolves when the line is on disk. */
  async add(figures: SegmentFigures): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(figures)}\n`);
    try {
      await this.#file.appendFile(line);
      await this.#file.datasync();
    } catch (error) {
      await this.#cutBack().catch(() => {});
      throw archiveDiskError(this.#path, error);
    }
    this.#bytes += line.length;
    this.lines.push(figures);
  }

  /** Removes the line that a crash or a full disk cut off. */
  async #cutBack(): Promise<void> {
    if ((await this.#file.stat()).size > this.#bytes) await this.#file.truncate(this.#bytes);
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => {});
  }
}

/** Syncs the entries of a folder: without its entry a file is lost, even if its contents were synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function tryToWrite(folder: string): Promise<void> {
  const path = join(folder, `probe-${randomBytes(6).toString("hex")}`);
  await writeFile(path, "", { flag: "wx", mode: 0o600 });
  await rm(path, { force: true });
}
