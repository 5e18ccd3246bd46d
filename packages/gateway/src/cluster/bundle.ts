// Letters that leave in the same turn of the event loop for the same process share one envelope: to seal and
// open costs several times what else a call costs on its way. On the bus each keeps a message of its own, by
// which it is answered, times out or finds nobody there; the first carries the envelope, the others only say
// which letter of it they are. What they say is not authenticated and need not be: each letter is handed out
// once, and an answer names its question.
//
//   reference: 1 byte version | 2 bytes place | 12 bytes nonce of the envelope
//   body of the envelope: 4 bytes length of the heads | heads (JSON) | bodies

import { EnvelopeError, type Envelopes, type Head, isHead, type Letter } from "./envelope.ts";

/** Puts a letter on the bus, or hears why it could not be sealed. */
interface Sending {
  /** Whether it is still to be sent; asked once, and then it is. One of those that leave carries the others. */
  leave(): boolean;
  send(sealed: Uint8Array): void;
  fail(error: unknown): void;
}

interface Posted extends Sending {
  readonly head: Head;
  readonly body: Uint8Array;
}

interface Batch {
  readonly from: string;
  readonly to: string;
  letters: Posted[];
  bytes: number;
}

/** The operation of an envelope that holds letters; no letter may have it. */
const BUNDLE = "*";
const REFERENCE = 2;
const NONCE = 12;
const REFERENCE_BYTES = 3 + NONCE;
const COUNT = 4;
/** So that an envelope and what refers to it fit into one message of the bus. */
const MOST_BYTES = 32 * 1024;
const MOST_LETTERS = 256;
/** Bytes from which a letter has nothing to gain. */
const LARGE = 8 * 1024;
/** Of what a letter has besides its body. */
const SPARE = 512;

/** Seals what leaves. */
export class Outbox {
  readonly #envelopes: Envelopes;
  readonly #batches = new Map<string, Batch>();
  #isScheduled = false;

  constructor(envelopes: Envelopes) {
    this.#envelopes = envelopes;
  }

  /** Seals a letter when this turn is over, and has it sent; who posts first is sent first. */
  post(from: string, head: Head, body: Uint8Array, sending: Sending): void {
    if (body.length >= LARGE) {
      if (sending.leave()) sending.send(this.#envelopes.seal(from, head, body));
      return;
    }
    this.#batchOf(from, head.to, body.length).letters.push({ head, body, ...sending });
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const batches = [...this.#batches.values()];
      this.#batches.clear();
      for (const batch of batches) this.#seal(batch);
    });
  }

  #batchOf(from: string, to: string, bytes: number): Batch {
    const name = `${from} ${to}`;
    let batch = this.#batches.get(name);
    const isFull =
      batch && (batch.bytes + bytes > MOST_BYTES || batch.letters.length >= MOST_LETTERS);
    if (batch && isFull) this.#seal(batch);
    if (!batch || isFull) {
      batch = { from, to, letters: [], bytes: 0 };
      this.#batches.set(name, batch);
    }
    batch.bytes += bytes + SPARE;
    return batch;
  }

  #seal(batch: Batch): void {
    const letters = batch.letters.filter(({ leave }) => leave());
    if (letters.length === 0) return;
    try {
      const sealed = this.#sealed({ ...batch, letters });
      const references = referTo(sealed, letters.length);
      for (const [place, { send }] of letters.entries()) {
        const at = place * REFERENCE_BYTES;
        send(place === 0 ? sealed : references.subarray(at, at + REFERENCE_BYTES));
      }
    } catch (error) {
      for (const { fail } of letters) fail(error);
    }
  }

  #sealed({ from, to, letters }: Batch): Uint8Array {
    const [first] = letters as [Posted];
    if (letters.length === 1) return this.#envelopes.seal(from, first.head, first.body);
    const head = { ...first.head, op: BUNDLE, server: "", key: "", reply: "", to, pieces: 0 };
    return this.#envelopes.seal(from, head, bundle(letters));
  }
}

interface Opened {
  readonly address: string;
  readonly letters: (Letter | undefined)[];
  left: number;
  readonly at: number;
}

/** How long letters wait for what refers to them, which comes in the same message or the next. */
const KEPT = 10_000;

/** Opens what arrives. */
export class Inbox {
  readonly #envelopes: Envelopes;
  readonly #opened = new Map<string, Opened>();

  constructor(envelopes: Envelopes) {
    this.#envelopes = envelopes;
  }

  /** Opens what was made for an address; throws an `EnvelopeError`. */
  open(sealed: Uint8Array, address: string): Letter {
    if (sealed[0] === REFERENCE) return this.#take(sealed, address);
    const letter = this.#envelopes.open(sealed, address);
    if (letter.head.op !== BUNDLE) return letter;
    const [first, ...letters] = unbundle(letter);
    if (!first) throw new EnvelopeError("malformed", "There is no letter in it.");
    this.#forget();
    const at = performance.now();
    this.#opened.set(nonceAt(sealed, 1), { address, letters, left: letters.length, at });
    return first;
  }

  #take(reference: Uint8Array, address: string): Letter {
    if (reference.length !== REFERENCE_BYTES) {
      throw new EnvelopeError("malformed", "It is no reference of this version.");
    }
    const [, high = 0, low = 0] = reference;
    const place = high * 256 + low - 1;
    const name = nonceAt(reference, 3);
    const opened = this.#opened.get(name);
    const letter = opened?.address === address ? opened.letters[place] : undefined;
    if (!opened || !letter) {
      throw new EnvelopeError("replayed", "What it refers to is not here, or was taken before.");
    }
    opened.letters[place] = undefined;
    opened.left -= 1;
    if (opened.left === 0) this.#opened.delete(name);
    if (performance.now() - opened.at > KEPT) {
      throw new EnvelopeError("stale", `It came ${KEPT} ms after the rest of its turn.`);
    }
    return letter;
  }

  #forget(): void {
    const before = performance.now() - KEPT;
    for (const [name, { at }] of this.#opened) {
      if (at > before) return;
      this.#opened.delete(name);
    }
  }
}

function bundle(letters: readonly Posted[]): Buffer {
  let size = 0;
  const heads = letters.map(({ head, body }) => {
    const { op, server, key, revision, reply, pieces, deadline } = head;
    size += body.length;
    return [op, server, key, revision, reply, pieces, deadline, body.length];
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

function unbundle({ head: { to, from, seq, at }, body }: Letter): Letter[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let start = COUNT + (bytes.length < COUNT ? 0 : bytes.readUInt32BE());
  const letters = parse(bytes.toString("utf8", COUNT, start)).map((fields) => {
    const [op, server, key, revision, reply, pieces, deadline, length] = fields;
    const head = { op, server, key, revision, to, reply, pieces, deadline, from, seq, at };
    const end = start + Number(length);
    if (!isHead(head) || head.op === BUNDLE || !(end >= start && end <= bytes.length)) {
      throw new EnvelopeError("malformed", "A letter in it is not whole.");
    }
    const letter = { head, body: bytes.subarray(start, end) };
    start = end;
    return letter;
  });
  return letters;
}

/** For each letter after the first, one after the other; the first is the envelope itself. */
function referTo(sealed: Uint8Array, count: number): Buffer {
  const bytes = Buffer.allocUnsafe(REFERENCE_BYTES * count);
  const nonce = sealed.subarray(1, 1 + NONCE);
  for (let place = 0, at = 0; place < count; place++, at += REFERENCE_BYTES) {
    bytes[at] = REFERENCE;
    bytes.writeUInt16BE(place, at + 1);
    bytes.set(nonce, at + 3);
  }
  return bytes;
}

function nonceAt({ buffer, byteOffset }: Uint8Array, place: number): string {
  return Buffer.from(buffer, byteOffset + place, NONCE).toString("latin1");
}

function parse(text: string): unknown[][] {
  try {
    const lists = JSON.parse(text) as unknown;
    return Array.isArray(lists) ? lists.filter(Array.isArray) : [];
  } catch {
    return [];
  }
}
