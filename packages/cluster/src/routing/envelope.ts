// Messages between processes. The broker may be shared with others and isn't trusted: each envelope is encrypted
// and authenticated with a key of its sender, which is derived from the cluster's secret. That covers all
// fields, including the operation and the recipient. An envelope can be opened once, only by its recipient, and
// only for half a minute.
//
//   1 byte version | 12 bytes nonce | 16 bytes tag | 2 bytes length of the head | head (JSON) | ciphertext

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { ReplayWindow } from "./replay-window.ts";

/** The fields that are authenticated but not encrypted. */
export interface Head {
  /** The requested operation, or the marker of a response. */
  op: string;
  server: string;
  /** The child process or session: its key in the directory. */
  key: string;
  /** The revision of the owner's claim that the sender relies on. */
  revision: number;
  /** The recipient's address. */
  to: string;
  /** The caller's number of the request, which the response repeats. */
  call: number;
  /** Chunks of the same message that were sent before, or that the caller has to fetch. */
  chunks: number;
  /** Milliseconds until the deadline. */
  deadline: number;
}

/** The fields that the sender adds. */
export interface Stamp {
  from: string;
  /** Rises with each envelope of a sender. */
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** An envelope that was opened. */
export interface PeerMessage {
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
  /** The cluster's secret, at least 32 bytes. */
  secret: Uint8Array;
  /** Milliseconds by which clocks may differ, including the delivery time. */
  window?: number;
  /** Maximum number of remembered senders. */
  most?: number;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

const VERSION = 4;
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
  #seq = 0;

  constructor(options: EnvelopeOptions) {
    if (options.secret.length < 32) {
      throw new TypeError("The cluster's secret needs at least 32 bytes. Set cluster.secret.");
    }
    this.#options = { window: 30_000, most: 10_000, clock: Date.now, ...options };
    const { window, most } = this.#options;
    this.#replays = new ReplayWindow({ most, remember: 2 * window });
  }

  seal(from: string, head: Head, body: string): Uint8Array {
    const stamped = { ...head, from, seq: ++this.#seq, at: this.#options.clock() };
    const open = Buffer.from(JSON.stringify(stamped));
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", this.#keyOf(from), nonce);
    cipher.setAAD(open);
    const sealed = cipher.update(body, "utf8");
    cipher.final();
    const length = Buffer.alloc(2);
    length.writeUInt16BE(open.length);
    return Buffer.concat([HEADER, nonce, cipher.getAuthTag(), length, open, sealed]);
  }

  /** Opens an envelope for an address. Throws an `EnvelopeError`. */
  open(sealed: Uint8Array, address: string): PeerMessage {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const { head, from } = this.#read(bytes);
    const body = this.#decipher(bytes, from);
    if (head.to !== address) {
      throw new EnvelopeError("misdirected", `The recipient is ${head.to}, not this process.`);
    }
    const now = this.#options.clock();
    if (Math.abs(now - head.at) > this.#options.window) {
      const text = `The message is ${now - head.at} ms old. Synchronize the clocks of all machines.`;
      throw new EnvelopeError("stale", text);
    }
    if (!this.#replays.accept(from, head.seq, now)) {
      throw new EnvelopeError("replayed", `Message ${head.seq} of ${from} was received before.`);
    }
    return { head, body };
  }

  #read(bytes: Buffer): { head: Head & Stamp; from: string } {
    const length = bytes.length < FIXED ? 0 : bytes.readUInt16BE(FIXED - 2);
    if (bytes[0] !== VERSION || length > LONGEST_HEAD || bytes.length < FIXED + length) {
      throw new EnvelopeError("malformed", "This isn't an envelope of this version.");
    }
    const head = parse(bytes.toString("utf8", FIXED, FIXED + length));
    if (!isHead(head) || !SENDER.test(head.from)) {
      throw new EnvelopeError("malformed", "The head is incomplete.");
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
      throw new EnvelopeError("forged", `${from} didn't seal this with the cluster's secret.`);
    }
    return body.toString();
  }

  /** One key for each epoch of a process, which never seals enough envelopes to exhaust a key. */
  #keyOf(from: string): KeyObject {
    const known = this.#keys.get(from);
    if (known) return known;
    const { secret, most } = this.#options;
    const bytes = hkdfSync("sha256", secret, "", `vitrine cluster ${from}`, 32);
    // Passing bytes would create a key object for each envelope, which takes four times as long as the rest.
    const key = createSecretKey(Buffer.from(bytes));
    if (this.#keys.size >= most) this.#keys.clear();
    this.#keys.set(from, key);
    return key;
  }
}

/** Whether all fields exist and have the right type. */
function isHead(head: { [Name in keyof (Head & Stamp)]?: unknown }): head is Head & Stamp {
  return (
    typeof head.op === "string" &&
    typeof head.server === "string" &&
    typeof head.key === "string" &&
    typeof head.to === "string" &&
    typeof head.from === "string" &&
    Number.isSafeInteger(head.call) &&
    Number.isSafeInteger(head.revision) &&
    Number.isSafeInteger(head.chunks) &&
    Number.isSafeInteger(head.deadline) &&
    Number.isSafeInteger(head.seq) &&
    Number.isSafeInteger(head.at)
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw new EnvelopeError("malformed", "The head isn't JSON.");
  }
}
