// What a segment's frames hold: the batches that were synced together.

/** A batch as it was appended. */
export interface StoredBatch {
  readonly id: string;
  readonly first: number;
  readonly records: readonly Uint8Array[];
}

/** What a frame holds. */
export interface StoredGroup {
  readonly first: number;
  readonly last: number;
  /** When it was written, by the wall clock. */
  readonly time: number;
  readonly batches: readonly StoredBatch[];
}

const GROUP_HEAD = 16;

export function encodeGroupHead(first: number, time: number): Buffer {
  const head = Buffer.allocUnsafe(GROUP_HEAD);
  head.writeDoubleLE(first, 0);
  head.writeDoubleLE(time, 8);
  return head;
}

/** The first place of a frame's records, without decoding them. */
export function firstOf(payload: Buffer): number {
  return payload.readDoubleLE(0);
}

/** A batch as the parts that are written one behind the other; the records are among them as they are. */
export function encodeBatch(id: string, records: readonly Uint8Array[]): Uint8Array[] {
  const heads = Buffer.allocUnsafe(3 + id.length + 4 * records.length);
  heads.writeUInt8(id.length, 0);
  heads.writeUInt16LE(records.length, 1);
  let from = 0;
  let at = 3 + heads.write(id, 3, "latin1");
  const parts: Uint8Array[] = [];
  for (const record of records) {
    at = heads.writeUInt32LE(record.length, at);
    parts.push(heads.subarray(from, at), record);
    from = at;
  }
  return parts;
}

/** Reads a frame's payload, whose checksum was right; throws a RangeError if it is none of ours. */
export function decodeGroup(payload: Buffer): StoredGroup {
  const first = firstOf(payload);
  const batches: StoredBatch[] = [];
  let next = first;
  let at = GROUP_HEAD;
  while (at < payload.length) {
    const idEnd = at + 3 + payload.readUInt8(at);
    const id = payload.toString("latin1", at + 3, idEnd);
    const records: Uint8Array[] = [];
    let count = payload.readUInt16LE(at + 1);
    for (at = idEnd; count > 0; count--) {
      const end = at + 4 + payload.readUInt32LE(at);
      if (end > payload.length) throw new RangeError("A record is longer than its frame.");
      records.push(new Uint8Array(payload.subarray(at + 4, end)));
      at = end;
    }
    batches.push({ id, first: next, records });
    next += records.length;
  }
  return { first, last: next - 1, time: payload.readDoubleLE(8), batches };
}
