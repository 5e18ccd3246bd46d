// A batch of the archive is one member of a gzip file, so that `zcat` can read a segment. Its description is
// in an extra field of the format: complete members are found without decompression, and a torn one is
// detected by its length or checksum.
//
//   decompressed, for each step of the log:   @<position> <bytes>\n<the step as it was stored>

import { promisify } from "node:util";
import { crc32, deflateRaw, inflateRawSync } from "node:zlib";
import type { LogRecord } from "../../engine/engine.ts";

/** The header of a member. */
export interface MemberHead {
  /** Length of the whole member. */
  readonly length: number;
  /** Positions of its first and last step. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** Bytes before the compressed data. */
export const MEMBER_HEAD: number = 40;
const FIELD = 24;
const TAIL = 8;
/** No member is larger, so anything larger isn't a member. */
const LARGEST = 64 * 2 ** 20;
/** gzip, deflate, with an extra field. */
const MAGIC = Buffer.from([0x1f, 0x8b, 8, 4]);
const NAME = "VA";
const NEW_LINE = 10;

// Outside the main thread, because an archiver may share its process with an edge.
const deflate = promisify(deflateRaw);

/** Encodes steps as a member. */
export async function encodeMember(records: readonly LogRecord[]): Promise<Buffer> {
  const parts = records.flatMap(({ sequence, record }) => [
    Buffer.from(`@${sequence} ${record.length}\n`, "latin1"),
    record,
  ]);
  const plain = Buffer.concat(parts);
  const packed = await deflate(plain);
  const member = Buffer.alloc(MEMBER_HEAD + packed.length + TAIL);
  MAGIC.copy(member, 0);
  member.writeUInt8(255, 9);
  member.writeUInt16LE(4 + FIELD, 10);
  member.write(NAME, 12, "latin1");
  member.writeUInt16LE(FIELD, 14);
  member.writeUInt32LE(member.length, 16);
  member.writeDoubleLE((records[0] as LogRecord).sequence, 20);
  member.writeDoubleLE((records.at(-1) as LogRecord).sequence, 28);
  member.writeUInt32LE(records.length, 36);
  packed.copy(member, MEMBER_HEAD);
  member.writeUInt32LE(crc32(plain), member.length - TAIL);
  member.writeUInt32LE(plain.length, member.length - 4);
  return member;
}

/** Reads the header of a member. Undefined if no member starts here. */
export function readMemberHead(bytes: Buffer): MemberHead | undefined {
  if (bytes.length < MEMBER_HEAD || bytes.compare(MAGIC, 0, 4, 0, 4) !== 0) return undefined;
  if (bytes.toString("latin1", 12, 14) !== NAME || bytes.readUInt16LE(14) !== FIELD) {
    return undefined;
  }
  const length = bytes.readUInt32LE(16);
  const [first, last] = [bytes.readDoubleLE(20), bytes.readDoubleLE(28)];
  const count = bytes.readUInt32LE(36);
  const isHead =
    length > MEMBER_HEAD + TAIL &&
    length <= LARGEST &&
    [first, last].every(Number.isSafeInteger) &&
    first <= last &&
    count > 0;
  return isHead ? { length, first, last, count } : undefined;
}

/** The steps of a complete member. Undefined if it was changed or damaged. */
export function decodeMember(member: Buffer): LogRecord[] | undefined {
  const head = readMemberHead(member);
  if (head?.length !== member.length) return undefined;
  const size = member.readUInt32LE(member.length - 4);
  if (size > LARGEST) return undefined;
  try {
    const packed = member.subarray(MEMBER_HEAD, member.length - TAIL);
    const plain = inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
    const isWhole =
      plain.length === size && crc32(plain) === member.readUInt32LE(member.length - TAIL);
    const records = isWhole ? recordsOf(plain) : [];
    const isSaid =
      records.length === head.count &&
      records[0]?.sequence === head.first &&
      records.at(-1)?.sequence === head.last;
    return isSaid ? records : undefined;
  } catch {
    return undefined;
  }
}

/** The start of the next complete member after damaged data. Undefined if there is none. */
export function nextMember(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(MAGIC, from); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    const head = readMemberHead(bytes.subarray(at));
    if (head && decodeMember(bytes.subarray(at, at + head.length))) return at;
  }
  return undefined;
}

function recordsOf(plain: Buffer): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = 0; at < plain.length; ) {
    const end = plain.indexOf(NEW_LINE, at);
    const header = /^@(\d{1,16}) (\d{1,9})$/.exec(plain.toString("latin1", at, Math.max(at, end)));
    if (!header) return [];
    const from = end + 1;
    at = from + Number(header[2]);
    if (at > plain.length) return [];
    records.push({ sequence: Number(header[1]), record: new Uint8Array(plain.subarray(from, at)) });
  }
  return records;
}
