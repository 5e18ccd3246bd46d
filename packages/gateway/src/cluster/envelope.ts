// What processes tell each other. A broker is shared with others, so it is trusted with nothing: each
// envelope is encrypted and authenticated with a key of its sender, made of the cluster's secret. All fields
// are covered, the operation and where to answer among them; each envelope opens once, at the one it was
// made for, and for half a minute.
//
//   1 byte version | 12 bytes nonce | 16 bytes tag | 2 bytes length of the head | head (JSON) | ciphertext

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from "node:crypto";
import { ReplayWindow } from "./replay-window.ts";

/** What is said openly and cannot be changed. */
export interface Head {
  /** What is asked for, or that it is an answer. */
  op: string;
  server: string;
  /** Whose child or session: the key of the directory. */
  key: string;
  /** Of the claim it relies on. */
  revision: number;
  /** The address it was made for. */
  to: string;
  /** Whose call it is: where its progress goes. */
  caller: string;
  /** The caller's number for it: what this is the answer to. */
  call: number;
  /** Pieces of the same message that went before, or are to be fetched. */
  pieces: number;
  /** Milliseconds that are left. */
  deadline: number;
}

/** What is written by whoever seals. */
export interface Stamp {
  from: string;
  /** Rises with each envelope of a sender. */
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** An envelope that was opened. */
export interface Letter {
  head: Head & Stamp;
  body: string;
}

/** Why an envelope was not opened. */
export type EnvelopeErrorCode = "malformed" | "forged" | "misdirected" | "stale" | "replayed";

/** An envelope that was not opened. */
export class EnvelopeError extends Error {
  readonly code: EnvelopeErrorCode;

  constructor(code: EnvelopeErrorCode, message: string) {
    super(message);
    this.name = "EnvelopeError";
    this.code = code;
  }
}

/** How envelopes are made. */
export interface EnvelopeOptions {
  /** Of the cluster, 32 bytes at least. */
  secret: Uint8Array;
  /** Milliseconds by which clocks may differ, on the way included. */
  window?: number;
  /** Senders that are remembered. */
  most?: number;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

const VERSION = 3;
const HEADER = Buffer.from([VERSION]);
const NONCE = 12;
const TAG = 16;
const FIXED = 1 + NONCE + TAG + 2;
const LONGEST_HEAD = 4096;
const SENDER = /^[0-9a-f]{24}\.\d{1,16}$/;

/** Seals and opens the envelopes of one process. */
export class Envelopes {
  readonly #options: Required<EnvelopeOptions>;
  readonly #keys = new Map<string, KeyObject>();
  readonly #replays: ReplayWindow;
  readonly #nonces = Buffer.alloc(NONCE * 256);
  #drawn = NONCE * 256;
  #seq = 0;

  constructor(options: EnvelopeOptions) {
    if (options.secret.length < 32) {
      throw new TypeError("The secret of a cluster needs 32 bytes at least; set cluster.secret.");
    }
    this.#options = { window: 30_000, most: 10_000, clock: Date.now, ...options };
    const { window, most } = this.#options;
    this.#replays = new ReplayWindow({ most, remember: 2 * window });
  }

  seal(from: string, head: Head, body: string): Uint8Array {
    const stamped = { ...head, from, seq: ++this.#seq, at: this.#options.clock() };
    const open = Buffer.from(JSON.stringify(stamped));
    const nonce = this.#nonce();
    const cipher = createCipheriv("aes-256-gcm", this.#keyOf(from), nonce);
    cipher.setAAD(open);
    const sealed = cipher.update(body, "utf8");
    cipher.final();
    const length = Buffer.alloc(2);
    length.writeUInt16BE(open.length);
    return Buffer.concat([HEADER, nonce, cipher.getAuthTag(), length, open, sealed]);
  }

  /** Opens what was made for an address; throws an `EnvelopeError`. */
  open(sealed: Uint8Array, address: string): Letter {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const { head, from } = this.#read(bytes);
    const body = this.#decipher(bytes, from);
    if (head.to !== address) {
      throw new EnvelopeError("misdirected", `It was made for ${head.to}, and came here.`);
    }
    const now = this.#options.clock();
    if (Math.abs(now - head.at) > this.#options.window) {
      const text = `It is ${now - head.at} ms old; set the clocks of all machines to the same time.`;
      throw new EnvelopeError("stale", text);
    }
    if (!this.#replays.accept(from, head.seq, now)) {
      throw new EnvelopeError("replayed", `Number ${head.seq} of ${from} was here before.`);
    }
    return { head, body };
  }

  #read(bytes: Buffer): { head: Head & Stamp; from: string } {
    const length = bytes.length < FIXED ? 0 : bytes.readUInt16BE(FIXED - 2);
    if (bytes[0] !== VERSION || length > LONGEST_HEAD || bytes.length < FIXED + length) {
      throw new EnvelopeError("malformed", "It is no envelope of this version.");
    }
    const head = parse(bytes.toString("utf8", FIXED, FIXED + length));
    if (!isHead(head) || !SENDER.test(head.from)) {
      throw new EnvelopeError("malformed", "Its head says less than it must.");
    }
    return { head, from: head.from };
  }

  #decipher(bytes: Buffer, from: string): string {
    const nonce = bytes.subarray(1, 1 + NONCE);
    const start = FIXED + bytes.readUInt16BE(FIXED - 2);
    const decipher = createDecipheriv("aes-256-gcm", this.#keyOf(from), nonce, {
      authTagLength: TAG,
    });
    decipher.setAAD(bytes.subarray(FIXED, start));
    decipher.setAuthTag(bytes.subarray(1 + NONCE, 1 + NONCE + TAG));
    const body = decipher.update(bytes.subarray(start));
    try {
      decipher.final();
    } catch {
      throw new EnvelopeError("forged", `It was not made by ${from} with the cluster's secret.`);
    }
    return body.toString();
  }

  /** Random ones are drawn by the hundred: one by one they cost as much as the cipher. */
  #nonce(): Buffer {
    if (this.#drawn === this.#nonces.length) {
      randomFillSync(this.#nonces);
      this.#drawn = 0;
    }
    this.#drawn += NONCE;
    return this.#nonces.subarray(this.#drawn - NONCE, this.#drawn);
  }

  /** One key for each life of a process: none of them makes enough envelopes to wear it out. */
  #keyOf(from: string): KeyObject {
    const known = this.#keys.get(from);
    if (known) return known;
    const { secret, most } = this.#options;
    const bytes = hkdfSync("sha256", secret, "", `vitrine cluster ${from}`, 32);
    // As bytes it would be made a key again for each envelope, at four times the cost of the rest.
    const key = createSecretKey(Buffer.from(bytes));
    if (this.#keys.size >= most) this.#keys.clear();
    this.#keys.set(from, key);
    return key;
  }
}

/** Whether all fields are there, each of its type. */
export function isHead(head: { [Name in keyof (Head & Stamp)]?: unknown }): head is Head & Stamp {
  return (
    typeof head.op === "string" &&
    typeof head.server === "string" &&
    typeof head.key === "string" &&
    typeof head.to === "string" &&
    typeof head.caller === "string" &&
    typeof head.from === "string" &&
    Number.isSafeInteger(head.call) &&
    Number.isSafeInteger(head.revision) &&
    Number.isSafeInteger(head.pieces) &&
    Number.isSafeInteger(head.deadline) &&
    Number.isSafeInteger(head.seq) &&
    Number.isSafeInteger(head.at)
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw new EnvelopeError("malformed", "Its head is no JSON.");
  }
}
