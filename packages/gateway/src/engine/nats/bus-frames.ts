// What travels on the bus: several requests, or several answers, in one message. A message costs a broker and
// two clients the same whatever it holds.
//
//   request: id u32, length u32, body        answer: id u32, status u8, length u32, body

import { EngineError } from "../errors.ts";

/** What became of a request. */
export const ANSWERED = 0;
export const FAILED = 1;
/** Nobody serves here any more. */
export const GONE = 2;

const REQUEST_HEAD = 8;
const ANSWER_HEAD = 9;

/** Frames that will be one message. Bodies are copied at once: they belong to somebody else. */
export class FrameBatch {
  readonly ids: number[] = [];
  #bytes: Buffer;
  #length = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  addRequest(id: number, body: Uint8Array): void {
    const at = this.#room(REQUEST_HEAD + body.length);
    this.ids.push(id);
    this.#bytes.writeUInt32LE(id, at);
    this.#bytes.writeUInt32LE(body.length, at + 4);
    this.#bytes.set(body, at + REQUEST_HEAD);
  }

  addAnswer(id: number, status: number, body: Uint8Array): void {
    const at = this.#room(ANSWER_HEAD + body.length);
    this.#bytes.writeUInt32LE(id, at);
    this.#bytes.writeUInt8(status, at + 4);
    this.#bytes.writeUInt32LE(body.length, at + 5);
    this.#bytes.set(body, at + ANSWER_HEAD);
  }

  #room(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    return at;
  }
}

/** The requests of a message. */
export function* readRequests(message: Uint8Array): Generator<{ id: number; body: Uint8Array }> {
  const view = viewOf(message);
  for (let at = 0; at < message.length; ) {
    if (at + REQUEST_HEAD > message.length) throw tornError();
    const id = view.getUint32(at, true);
    const end = at + REQUEST_HEAD + view.getUint32(at + 4, true);
    if (end > message.length) throw tornError();
    // A copy: who serves may keep it, and must not keep the whole read buffer of the socket with it.
    yield { id, body: new Uint8Array(message.subarray(at + REQUEST_HEAD, end)) };
    at = end;
  }
}

/** The answers of a message. */
export function* readAnswers(
  message: Uint8Array,
): Generator<{ id: number; status: number; body: Uint8Array }> {
  const view = viewOf(message);
  for (let at = 0; at < message.length; ) {
    if (at + ANSWER_HEAD > message.length) throw tornError();
    const id = view.getUint32(at, true);
    const status = view.getUint8(at + 4);
    const end = at + ANSWER_HEAD + view.getUint32(at + 5, true);
    if (end > message.length) throw tornError();
    yield { id, status, body: new Uint8Array(message.subarray(at + ANSWER_HEAD, end)) };
    at = end;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function tornError(): EngineError {
  const text =
    "A message on the bus is no batch of frames; somebody else publishes under this prefix.";
  return new EngineError("corrupt", text);
}
