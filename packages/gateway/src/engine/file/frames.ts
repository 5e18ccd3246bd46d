// How records lie in a file: a header with a random seed, then frames. A frame is written and synced before
// the next is begun, so that a crash can tear one at most, the last. The seed and the offset go into each
// checksum: what a client put into a record never looks like a frame, nor does a frame that was moved.

import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Which kind of file it is; the last character is the version of its format. */
export type Magic = "VTKV0001" | "VTLG0001";

export const FILE_HEADER: number = 16;
const FRAME_HEADER = 16;
const FRAME_MAGIC = 0x4d524656; // "VFRM"
/** Largest payload; a longer length is damage. */
export const LONGEST_FRAME: number = 16 * 2 ** 20;

/** The first bytes of a new file. */
export function newFileHeader(magic: Magic): Buffer {
  const header = Buffer.alloc(FILE_HEADER);
  header.write(magic, 0, "latin1");
  randomBytes(4).copy(header, 8);
  header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
  return header;
}

/** The seed of a file, or nothing when its header is not of that kind. */
export function readSeed(file: Buffer, magic: Magic): number | undefined {
  if (file.length < FILE_HEADER || file.toString("latin1", 0, 8) !== magic) return undefined;
  if (file.readUInt32LE(12) !== crc32(file.subarray(0, 12))) return undefined;
  return file.readUInt32LE(8);
}

/** What stands before a payload at one place of one file. The payload itself is not copied. */
export function encodeFrameHead(
  payload: readonly Uint8Array[],
  { seed, offset }: { seed: number; offset: number },
): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEADER);
  let length = 0;
  let sum = seed;
  for (const part of payload) {
    length += part.length;
    sum = crc32(part, sum);
  }
  head.writeUInt32LE(FRAME_MAGIC, 0);
  head.writeUInt32LE(length, 4);
  head.writeUInt32LE(headerSum(head, 0, seed, offset), 8);
  head.writeUInt32LE(sum, 12);
  return head;
}

/** A frame that was found. */
export interface Frame {
  readonly offset: number;
  /** Where the next one begins. */
  readonly end: number;
  readonly payload: Buffer;
}

/** Bytes that are no frame. */
export interface Damage {
  readonly offset: number;
  readonly bytes: number;
  /** A frame follows, or more than one could fill: it was not torn while it was written. */
  readonly inTheMiddle: boolean;
}

/** Reads frames from a piece of a file that begins at `base`; returns what stopped it before the end. */
export function* readFrames(
  piece: Buffer,
  { seed, base }: { seed: number; base: number },
): Generator<Frame, Damage | undefined> {
  let at = 0;
  while (at < piece.length) {
    const frame = frameAt(piece, at, { seed, base });
    if (!frame) {
      const bytes = piece.length - at;
      const inTheMiddle =
        bytes > FRAME_HEADER + LONGEST_FRAME || hasFrameAfter(piece, at, { seed, base });
      return { offset: base + at, bytes, inTheMiddle };
    }
    yield frame;
    at = frame.end - base;
  }
  return undefined;
}

function frameAt(
  piece: Buffer,
  at: number,
  { seed, base }: { seed: number; base: number },
): Frame | undefined {
  if (at + FRAME_HEADER > piece.length || piece.readUInt32LE(at) !== FRAME_MAGIC) return undefined;
  const length = piece.readUInt32LE(at + 4);
  const offset = base + at;
  if (length > LONGEST_FRAME || at + FRAME_HEADER + length > piece.length) return undefined;
  if (piece.readUInt32LE(at + 8) !== headerSum(piece, at, seed, offset)) return undefined;
  const payload = piece.subarray(at + FRAME_HEADER, at + FRAME_HEADER + length);
  if (piece.readUInt32LE(at + 12) !== crc32(payload, seed)) return undefined;
  return { offset, end: offset + FRAME_HEADER + length, payload };
}

function hasFrameAfter(piece: Buffer, at: number, file: { seed: number; base: number }): boolean {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(FRAME_MAGIC, 0);
  for (let next = piece.indexOf(mark, at + 1); next >= 0; next = piece.indexOf(mark, next + 1)) {
    if (frameAt(piece, next, file)) return true;
  }
  return false;
}

function headerSum(bytes: Buffer, at: number, seed: number, offset: number): number {
  const place = Buffer.allocUnsafe(8);
  place.writeDoubleLE(offset, 0);
  return crc32(place, crc32(bytes.subarray(at, at + 8), seed));
}
