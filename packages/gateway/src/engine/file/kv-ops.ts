// What a journal's frames hold: writes, each with its revision.

/** A write that was done. */
export interface KvOp {
  readonly key: string;
  /** Nothing when the key was deleted. */
  readonly value: Uint8Array | undefined;
  readonly revision: number;
  /** By the wall clock, which alone goes on while we are not running; `Infinity` for never. */
  readonly expires: number;
}

const HEAD = 23;
const PUT = 1;
const DELETE = 2;

export function encodeOp({ key, value, revision, expires }: KvOp): Buffer {
  const size = value?.length ?? 0;
  const op = Buffer.allocUnsafe(HEAD + key.length + size);
  op.writeUInt8(value ? PUT : DELETE, 0);
  op.writeDoubleLE(revision, 1);
  op.writeDoubleLE(expires, 9);
  op.writeUInt16LE(key.length, 17);
  op.writeUInt32LE(size, 19);
  op.write(key, HEAD, "latin1");
  if (value) op.set(value, HEAD + key.length);
  return op;
}

/** Reads the writes of a frame. A key without name carries a revision alone. */
export function* decodeOps(payload: Buffer): Generator<KvOp> {
  let at = 0;
  while (at < payload.length) {
    const isPut = payload.readUInt8(at) === PUT;
    const keyEnd = at + HEAD + payload.readUInt16LE(at + 17);
    const end = keyEnd + payload.readUInt32LE(at + 19);
    yield {
      key: payload.toString("latin1", at + HEAD, keyEnd),
      value: isPut ? new Uint8Array(payload.subarray(keyEnd, end)) : undefined,
      revision: payload.readDoubleLE(at + 1),
      expires: payload.readDoubleLE(at + 9),
    };
    at = end;
  }
}
