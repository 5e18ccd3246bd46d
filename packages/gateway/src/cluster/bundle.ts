// Letters that leave in the same turn of the event loop for the same process share one envelope and one
// message: to seal, to send and to open costs several times what else a call costs on its way.
//
//   body of such an envelope: 4 bytes length of the heads | heads (JSON) | bodies
//
// Calls of one turn mostly need the same child or session, so of a head only what differs is written:
//
//   [[<bytes>, <call>, <deadline>, <op>, <server>, <key>, <revision>, <caller>, <pieces>], [<bytes>, <call>, <deadline>], …]

import { EnvelopeError, type Envelopes, type Head, isHead, type Letter } from "./envelope.ts";

/** A letter that is to leave. */
export interface Posted {
  readonly head: Head;
  readonly body: Uint8Array;
  /** Whether it is still to be sent; asked once, and then it is. */
  leave(): boolean;
  /** It could not be sealed. */
  fail(error: unknown): void;
}

/** Puts an envelope on the bus. */
export type Dispatch<Kind extends Posted> = (sealed: Uint8Array, letters: readonly Kind[]) => void;

interface Batch<Kind> {
  from: string;
  letters: Kind[];
  bytes: number;
}

/** The operation of an envelope that holds letters; no letter may have it. */
const BUNDLE = "*";
const COUNT = 4;
const MOST_BYTES = 32 * 1024;
const MOST_LETTERS = 256;
/** Bytes from which a letter has nothing to gain. */
const LARGE = 8 * 1024;
/** Of what a letter has besides its body. */
const SPARE = 512;
/** Addresses of which it is remembered that something was sent there. */
const MOST_BATCHES = 1_000;

/** Seals what leaves. */
export class Outbox<Kind extends Posted> {
  readonly #envelopes: Envelopes;
  readonly #dispatch: Dispatch<Kind>;
  readonly #batches = new Map<string, Batch<Kind>>();
  #isScheduled = false;

  constructor(envelopes: Envelopes, dispatch: Dispatch<Kind>) {
    this.#envelopes = envelopes;
    this.#dispatch = dispatch;
  }

  /** Seals a letter when this turn is over, with the others for the same process; a large one alone and at once. */
  post(from: string, letter: Kind): void {
    const { length } = letter.body;
    if (length >= LARGE) {
      this.#seal({ from, letters: [letter], bytes: length });
      return;
    }
    const batch = this.#batchOf(from, letter.head.to);
    const isFull = batch.bytes + length > MOST_BYTES || batch.letters.length >= MOST_LETTERS;
    if (isFull || batch.from !== from) this.#flush(batch);
    batch.from = from;
    batch.letters.push(letter);
    batch.bytes += length + SPARE;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const batch of this.#batches.values()) this.#flush(batch);
      if (this.#batches.size > MOST_BATCHES) this.#batches.clear();
    });
  }

  /** Filled again and again: a `Map` keeps what was taken out of it until it has grown old, and calls with it. */
  #batchOf(from: string, to: string): Batch<Kind> {
    let batch = this.#batches.get(to);
    if (!batch) {
      batch = { from, letters: [], bytes: 0 };
      this.#batches.set(to, batch);
    }
    return batch;
  }

  #flush(batch: Batch<Kind>): void {
    const { from, letters, bytes } = batch;
    if (letters.length === 0) return;
    batch.letters = [];
    batch.bytes = 0;
    this.#seal({ from, letters, bytes });
  }

  #seal({ from, letters: posted }: Batch<Kind>): void {
    const letters = posted.filter((letter) => letter.leave());
    const [first] = letters;
    if (!first) return;
    try {
      const sealed =
        letters.length === 1
          ? this.#envelopes.seal(from, first.head, first.body)
          : this.#envelopes.seal(from, aboutAll(first.head), bundle(letters));
      this.#dispatch(sealed, letters);
    } catch (error) {
      // Later, as everything else that is heard of a letter: a large one is sealed while it is posted.
      queueMicrotask(() => {
        for (const letter of letters) letter.fail(error);
      });
    }
  }
}

/** The letters in what was made for an address; throws an `EnvelopeError`. */
export function openLetters(envelopes: Envelopes, sealed: Uint8Array, address: string): Letter[] {
  const letter = envelopes.open(sealed, address);
  return letter.head.op === BUNDLE ? unbundle(letter) : [letter];
}

function aboutAll({ to, revision, deadline }: Head): Head {
  const nobody = { server: "", key: "", caller: "", call: 0 };
  return { op: BUNDLE, ...nobody, to, revision, pieces: 0, deadline };
}

function bundle(letters: readonly Posted[]): Buffer {
  let size = 0;
  let last: Head | undefined;
  const heads = letters.map(({ head, body: { length } }) => {
    const { op, server, key, revision, caller, call, pieces, deadline } = head;
    const isAlike = last !== undefined && areAlike(head, last);
    size += length;
    last = head;
    return isAlike
      ? [length, call, deadline]
      : [length, call, deadline, op, server, key, revision, caller, pieces];
  });
  // All at once: to begin a text costs more than to go on with it.
  const text = Buffer.from(JSON.stringify(heads));
  const bytes = Buffer.allocUnsafe(COUNT + text.length + size);
  bytes.writeUInt32BE(text.length);
  bytes.set(text, COUNT);
  let at = COUNT + text.length;
  for (const { body } of letters) {
    bytes.set(body, at);
    at += body.length;
  }
  return bytes;
}

function areAlike(one: Head, other: Head): boolean {
  return (
    one.key === other.key &&
    one.op === other.op &&
    one.server === other.server &&
    one.revision === other.revision &&
    one.caller === other.caller &&
    one.pieces === other.pieces
  );
}

function unbundle({ head: { to, from, seq, at }, body }: Letter): Letter[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let start = COUNT + (bytes.length < COUNT ? 0 : bytes.readUInt32BE());
  let shared: readonly unknown[] = [];
  const letters = parse(bytes.toString("utf8", COUNT, start)).map((own) => {
    if (own.length > 3) shared = own;
    const head = {
      op: shared[3],
      server: shared[4],
      key: shared[5],
      revision: shared[6],
      to,
      caller: shared[7],
      call: own[1],
      pieces: shared[8],
      deadline: own[2],
      from,
      seq,
      at,
    };
    const end = start + Number(own[0]);
    if (!isHead(head) || head.op === BUNDLE || !(end >= start && end <= bytes.length)) {
      throw new EnvelopeError("malformed", "A letter in it is not whole.");
    }
    const letter = { head, body: bytes.subarray(start, end) };
    start = end;
    return letter;
  });
  if (letters.length === 0) throw new EnvelopeError("malformed", "There is no letter in it.");
  return letters;
}

function parse(text: string): unknown[][] {
  try {
    const lists = JSON.parse(text) as unknown;
    return Array.isArray(lists) ? lists.filter(Array.isArray) : [];
  } catch {
    return [];
  }
}
