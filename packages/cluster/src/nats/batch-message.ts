// A batch of the log as one message, compressed if that makes it smaller. Audit records are similar, so a batch
// shrinks to a fifth. That matters because a log on NATS waits for disks and replicas.
//
//   format u8 (1 plain, 2 zstd), records u16, bytes when unpacked u32, then length (LEB128) and bytes of each

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { EngineError } from "@vitrine/gateway/engine";

const HEAD = 7;
const PLAIN = 1;
const ZSTD = 2;
/** Compressing a smaller batch costs more than it saves. */
const WORTH = 512;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Limit for unpacking; the engine never writes a larger batch. */
const LARGEST = 64 * 2 ** 20;

/** Encodes records as one message. */
export function encodeMessage(records: readonly Uint8Array[]): Buffer {
  let size = HEAD;
  for (const record of records) size += lengthOfLength(record.length) + record.length;
  const message = Buffer.allocUnsafe(size);
  let at = HEAD;
  for (const record of records) {
    at = writeLength(message, record.length, at);
    message.set(record, at);
    at += record.length;
  }
  writeHead(message, { format: PLAIN, count: records.length, bytes: size - HEAD });
  if (size < WORTH) return message;
  const packed = zstdCompressSync(message.subarray(HEAD), FAST);
  if (packed.length >= size - HEAD) return message;
  const head = Buffer.allocUnsafe(HEAD);
  writeHead(head, { format: ZSTD, count: records.length, bytes: size - HEAD });
  return Buffer.concat([head, packed]);
}

/** How many records a message has, without unpacking it. */
export function countOf(message: Uint8Array): number {
  if (message.length < HEAD) throw corruptError("it is too short");
  return bufferOf(message).readUInt16LE(1);
}

/** Decodes the records of a message; each is a copy. */
export function decodeMessage(message: Uint8Array): Uint8Array[] {
  const count = countOf(message);
  const bytes = unpack(bufferOf(message));
  const records: Uint8Array[] = [];
  let at = 0;
  for (let n = 0; n < count; n++) {
    const { length, next } = readLength(bytes, at);
    if (next + length > bytes.length) throw corruptError("a record is longer than its batch");
    records.push(new Uint8Array(bytes.subarray(next, next + length)));
    at = next + length;
  }
  if (at !== bytes.length) throw corruptError("it has data after its last record");
  return records;
}

function unpack(message: Buffer): Buffer {
  const format = message.readUInt8(0);
  const bytes = message.readUInt32LE(3);
  const rest = message.subarray(HEAD);
  if (bytes > LARGEST) throw corruptError(`it claims ${bytes} bytes`);
  if (format === PLAIN && rest.length === bytes) return rest;
  if (format !== ZSTD) throw corruptError(`its format is ${format}`);
  try {
    const unpacked = zstdDecompressSync(rest, { maxOutputLength: Math.max(bytes, 1) });
    if (unpacked.length === bytes) return unpacked;
  } catch {
    // As below.
  }
  throw corruptError("it can't be unpacked");
}

function writeHead(
  message: Buffer,
  { format, count, bytes }: { format: number; count: number; bytes: number },
): void {
  message.writeUInt8(format, 0);
  message.writeUInt16LE(count, 1);
  message.writeUInt32LE(bytes, 3);
}

function lengthOfLength(length: number): number {
  if (length < 2 ** 7) return 1;
  if (length < 2 ** 14) return 2;
  return length < 2 ** 21 ? 3 : 4;
}

function writeLength(into: Buffer, length: number, at: number): number {
  let left = length;
  let place = at;
  while (left >= 0x80) {
    into[place++] = (left & 0x7f) | 0x80;
    left >>>= 7;
  }
  into[place++] = left;
  return place;
}

function readLength(from: Buffer, at: number): { length: number; next: number } {
  let length = 0;
  for (let n = 0; n < 4; n++) {
    const byte = from[at + n];
    if (byte === undefined) break;
    length |= (byte & 0x7f) << (7 * n);
    if (byte < 0x80) return { length, next: at + n + 1 };
  }
  throw corruptError("a length is incomplete");
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function corruptError(why: string): EngineError {
  const text = `A message in the log isn't a valid batch: ${why}. Check that no other program writes to this stream.`;
  return new EngineError("corrupt", text);
}
