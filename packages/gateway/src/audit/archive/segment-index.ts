// The folder of an archive: what it is, which segments it has, and the index, a line for each segment that is
// closed. The index says what must be there; a segment that no line names is the newest, or was the newest
// when a process was killed.

import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../engine/file/frame-file.ts";
import { ArchiveError, archiveDiskError } from "./errors.ts";
import type { SegmentFigures } from "./segment-survey.ts";

/** What an archive says of itself. */
export interface ArchiveIdentity {
  readonly archive: 1;
  readonly id: string;
  readonly partition: string;
}

/** A segment by its name. */
export interface SegmentName {
  readonly name: string;
  readonly first: number;
}

const IDENTITY = "archive.json";
const INDEX = "index.jsonl";
const SEGMENT = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z_(\d{16})\.gz$/;
/** Ours, a file system's, and what is left of an attempt. */
const HARMLESS = /^(?:lock|lost\+found|archive\.json\.new|probe-[0-9a-f]+)|^\./;

/** A name that sorts by time, and says where in the log the segment begins. */
export function segmentName(first: number, now: Date): string {
  const time = `${now.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
  return `${time}_${String(first).padStart(16, "0")}.gz`;
}

/** Makes a folder an archive, unless it is one; fails where it cannot be written, or holds something else. */
export async function prepareArchive(folder: string, partition: string): Promise<ArchiveIdentity> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await tryToWrite(folder);
    const known = await readIdentity(folder);
    if (known && known.partition !== partition) {
      throw new ArchiveError("foreign", `${folder} is the archive of "${known.partition}".`);
    }
    if (known) return known;
    const others = (await readdir(folder)).filter((name) => !HARMLESS.test(name));
    if (others.length > 0) {
      const text = `${folder} is no archive and not empty (${others[0]}); name an empty folder.`;
      throw new ArchiveError("foreign", text);
    }
    const identity = { archive: 1, id: randomBytes(8).toString("hex"), partition } as const;
    await writeWhole(join(folder, IDENTITY), `${JSON.stringify(identity)}\n`);
    await syncFolder(folder);
    return identity;
  } catch (error) {
    throw archiveDiskError(folder, error);
  }
}

/** What a folder says of itself; nothing if it is no archive. */
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
    // As below.
  }
  throw new ArchiveError("damaged", `${path} is not as it was written; restore it from a copy.`);
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

/** The lines of the index; a last one that is not whole is not there yet. */
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
      `${path} is not as it was written; restore it from a copy, or remove it: it is made again.`,
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
    // Where there is none it is made, and otherwise not emptied.
    const file = await open(path, "a+", 0o600).catch((error: unknown) => {
      throw archiveDiskError(path, error);
    });
    await file.close();
    return new SegmentIndex(path, await open(path, "r+"), read);
  }

  /** Resolves when the line is on the disk. */
  async add(figures: SegmentFigures): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(figures)}\n`);
    try {
      await this.#file.truncate(this.#bytes);
      await writeAll(this.#file, line, this.#bytes);
      await this.#file.datasync();
    } catch (error) {
      throw archiveDiskError(this.#path, error);
    }
    this.#bytes += line.length;
    this.lines.push(figures);
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => {});
  }
}

/** Writes everything, however often the system has to be asked. */
export async function writeAll(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const draft = await open(`${path}.new`, "w", 0o600);
  try {
    await draft.writeFile(text);
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${path}.new`, path);
}

async function tryToWrite(folder: string): Promise<void> {
  const path = join(folder, `probe-${randomBytes(6).toString("hex")}`);
  const file = await open(path, "wx", 0o600);
  await file.close();
  await rm(path, { force: true });
}
