// Letters that leave in the same turn of the event loop for the same process share one envelope and one
// message: to seal, to send and to open costs several times what else a call costs on its way.
//
//   text of such an envelope: heads (JSON) | line feed | bodies
//
// Calls of one turn mostly need the same child or session, so of a head only what differs is written:
//
//   [[<length>, <call>, <op>, <server>, <key>, <revision>, <caller>, <pieces>, <deadline>], [<length>, <call>], …]

import { EnvelopeError, type Envelopes, type Head, isHead, type Letter } from "./envelope.ts";

/** A letter that is to leave. */
export interface Posted {
  readonly head: Head;
  readonly body: string;
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
  length: number;
}

/** The operation of an envelope that holds letters; no letter may have it. */
const BUNDLE = "*";
/** Characters, here and below. */
const MOST_TEXT = 32 * 1024;
const MOST_LETTERS = 256;
/** From which a letter has nothing to gain. */
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
      this.#seal(from, [letter]);
      return;
    }
    const batch = this.#batchOf(from, letter.head.to);
    const isFull = batch.length + length > MOST_TEXT || batch.letters.length >= MOST_LETTERS;
    if (isFull || batch.from !== from) this.#flush(batch);
    batch.from = from;
    batch.letters.push(letter);
    batch.length += length + SPARE;
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
      batch = { from, letters: [], length: 0 };
      this.#batches.set(to, batch);
    }
    return batch;
  }

  #flush(batch: Batch<Kind>): void {
    const { from, letters } = batch;
    if (letters.length === 0) return;
    batch.letters = [];
    batch.length = 0;
    this.#seal(from, letters);
  }

  #seal(from: string, posted: readonly Kind[]): void {
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

// One text of all: to make bytes of it, or a text of bytes, costs the same for one letter as for forty.
function bundle(letters: readonly Posted[]): string {
  let last: Head | undefined;
  let bodies = "";
  const heads = letters.map(({ head, body }) => {
    const { op, server, key, revision, caller, call, pieces, deadline } = head;
    const isAlike = last !== undefined && areAlike(head, last);
    bodies += body;
    last = head;
    return isAlike
      ? [body.length, call]
      : [body.length, call, op, server, key, revision, caller, pieces, deadline];
  });
  return `${JSON.stringify(heads)}\n${bodies}`;
}

function areAlike(one: Head, other: Head): boolean {
  return (
    one.key === other.key &&
    one.op === other.op &&
    one.server === other.server &&
    one.revision === other.revision &&
    one.caller === other.caller &&
    one.pieces === other.pieces &&
    one.deadline === other.deadline
  );
}

function unbundle({ head: { to, from, seq, at }, body }: Letter): Letter[] {
  let start = body.indexOf("\n") + 1;
  let shared: readonly unknown[] = [];
  const letters = parse(body.slice(0, start)).map((own) => {
    if (own.length > 2) shared = own;
    const head = {
      op: shared[2],
      server: shared[3],
      key: shared[4],
      revision: shared[5],
      to,
      caller: shared[6],
      call: own[1],
      pieces: shared[7],
      deadline: shared[8],
      from,
      seq,
      at,
    };
    const end = start + Number(own[0]);
    if (!isHead(head) || head.op === BUNDLE || !(end >= start && end <= body.length)) {
      throw new EnvelopeError("malformed", "A letter in it is not whole.");
    }
    const letter = { head, body: body.slice(start, end) };
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
