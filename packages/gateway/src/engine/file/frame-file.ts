// A file of frames that grows at its end. What `append` acknowledged is on the disk; what failed has left
// no trace: the file is cut back to where it was, and if even that fails nothing more is written to it.

import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { EngineError } from "../errors.ts";
import { corruptError, diskError, isMissing } from "./disk-error.ts";
import {
  encodeFrameHead,
  FILE_HEADER,
  type Frame,
  type Magic,
  newFileHeader,
  readFrames,
  readSeed,
} from "./frames.ts";

/** Something an operator should know. */
export interface Notice {
  /** The tail of a file was torn by a crash and dropped, or the lock of a dead process was taken over. */
  readonly kind: "torn-tail" | "stale-lock";
  readonly path: string;
  readonly text: string;
}

export interface ReadOptions {
  /** Only the newest file may end in the middle of a frame. */
  mayBeTorn: boolean;
  onNotice(notice: Notice): void;
}

const MOST_PARTS = 64;
// Marks that the file was closed in good order: damage before it is not a torn tail.
const SEAL = new Uint8Array(0);

/** Where a file's frames end. */
interface Extent {
  readonly seed: number;
  readonly end: number;
}

/** Hands on the frames of a file; returns nothing when there is none, or only the beginning of one. */
export async function readFrameFile(
  path: string,
  magic: Magic,
  { mayBeTorn, onNotice, onFrame }: ReadOptions & { onFrame(frame: Frame): void },
): Promise<Extent | undefined> {
  const file = await readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw diskError(path, error);
  });
  if (!file || (file.length < FILE_HEADER && mayBeTorn)) return undefined;
  const seed = readSeed(file, magic);
  if (seed === undefined) throw corruptError(path, 0, "its header is not one of this format");
  const frames = readFrames(file.subarray(FILE_HEADER), { seed, base: FILE_HEADER });
  for (let step = frames.next(); ; step = frames.next()) {
    if (!step.done) {
      if (step.value.payload.length > 0) onFrame(step.value);
      continue;
    }
    const damage = step.value;
    if (!damage) return { seed, end: file.length };
    if (damage.inTheMiddle || !mayBeTorn) {
      throw corruptError(path, damage.offset, "a record is broken and others follow");
    }
    const text = `The last ${damage.bytes} bytes of ${path} were torn by a crash and are dropped; they had not been acknowledged.`;
    onNotice({ kind: "torn-tail", path, text });
    return { seed, end: damage.offset };
  }
}

export class FrameFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #seed: number;
  #length: number;
  #failure: EngineError | undefined;

  private constructor(path: string, handle: FileHandle, { seed, end }: Extent) {
    this.path = path;
    this.#handle = handle;
    this.#seed = seed;
    this.#length = end;
  }

  /** Makes an empty file, in place of one that may be there. */
  static async create(path: string, magic: Magic): Promise<FrameFile> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "w+", 0o600);
      const header = newFileHeader(magic);
      await writeAll(handle, [header], 0);
      await handle.datasync();
      await syncFolder(dirname(path));
      const seed = readSeed(header, magic) as number;
      return new FrameFile(path, handle, { seed, end: FILE_HEADER });
    } catch (error) {
      await handle?.close().catch(() => {});
      // A file that was only begun would name a first record that may yet go elsewhere.
      if (handle) await rm(path, { force: true }).catch(() => {});
      throw diskError(path, error);
    }
  }

  /** Opens a file that `readFrameFile` has read, and cuts off what it found torn. */
  static async reopen(path: string, extent: Extent): Promise<FrameFile> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "r+");
      await handle.truncate(extent.end);
      await handle.datasync();
      return new FrameFile(path, handle, extent);
    } catch (error) {
      await handle?.close().catch(() => {});
      throw diskError(path, error);
    }
  }

  /** Opens a file to read a piece of it. */
  static async view(path: string, extent: Extent): Promise<FrameFile> {
    try {
      return new FrameFile(path, await open(path, "r"), extent);
    } catch (error) {
      throw diskError(path, error);
    }
  }

  get length(): number {
    return this.#length;
  }

  get seed(): number {
    return this.#seed;
  }

  /** Resolves to where the frame begins, once it is on the disk. One at a time. */
  async append(payload: readonly Uint8Array[]): Promise<number> {
    if (this.#failure) throw this.#failure;
    const offset = this.#length;
    const frame = [encodeFrameHead(payload, { seed: this.#seed, offset }), ...payload];
    let length = 0;
    for (const part of frame) length += part.length;
    try {
      await writeAll(this.#handle, frame, offset);
      await this.#handle.datasync();
    } catch (error) {
      await this.#cutBack(error);
      throw diskError(this.path, error);
    }
    this.#length += length;
    return offset;
  }

  /** A piece of the file. */
  async read(from: number, end: number): Promise<Buffer> {
    const piece = Buffer.allocUnsafe(end - from);
    let done = 0;
    while (done < piece.length) {
      const { bytesRead } = await this.#handle
        .read(piece, done, piece.length - done, from + done)
        .catch((error: unknown) => {
          throw diskError(this.path, error);
        });
      if (bytesRead === 0) throw corruptError(this.path, from + done, "it is shorter than it was");
      done += bytesRead;
    }
    return piece;
  }

  /** Puts this file in the place of another, for good. */
  async replace(path: string): Promise<FrameFile> {
    await rename(this.path, path).catch((error: unknown) => {
      throw diskError(path, error);
    });
    const replaced = new FrameFile(path, this.#handle, { seed: this.#seed, end: this.#length });
    // Without this a loss of power could bring the other back, and with it take what is written from now on.
    await syncFolder(dirname(path)).catch((error: unknown) => replaced.#giveUp(error));
    return replaced;
  }

  async close({ seal = true }: { seal?: boolean } = {}): Promise<void> {
    try {
      if (seal && !this.#failure) await this.append([SEAL]);
    } catch {
      // Without the seal the file is as after a crash, which is readable.
    }
    await this.#handle.close().catch(() => {});
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.path, { force: true }).catch(() => {});
  }

  // After a failed write nobody knows what of it is there. A later frame behind it would make it "the
  // middle", and a restart might find whole what was refused.
  async #cutBack(cause: unknown): Promise<void> {
    const isFull = diskError(this.path, cause).code === "full";
    try {
      await this.#handle.truncate(this.#length);
      await this.#handle.datasync();
      if (isFull) return;
    } catch {
      // Said below.
    }
    this.#giveUp(cause);
  }

  #giveUp(cause: unknown): void {
    const text = `${this.path} failed while it was written and is read only until the next start; look at the disk.`;
    this.#failure = new EngineError("unavailable", text, { cause });
  }
}

async function writeAll(
  handle: FileHandle,
  parts: readonly Uint8Array[],
  position: number,
): Promise<void> {
  // As they lie there: a copy of half a megabyte costs more than to write it. Many small ones are one.
  const written = parts.length > MOST_PARTS ? [Buffer.concat(parts)] : parts;
  let done = (await handle.writev(written, position)).bytesWritten;
  let length = 0;
  for (const part of written) length += part.length;
  if (done === length) return;
  const bytes = Buffer.concat(written);
  while (done < length) {
    done += (await handle.write(bytes, done, length - done, position + done)).bytesWritten;
  }
}

/** Makes names in a folder safe: a new file is lost with its folder's entry. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
