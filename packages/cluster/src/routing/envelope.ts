// Messages between processes. The broker may be shared with others and isn't trusted: each envelope is encrypted
// and authenticated with a key of its sender, which is derived from the cluster's secret. That covers all
// fields, including the operation and the recipient. An envelope can be opened once, only by its recipient, and
// only for half a minute.
//
//   1 byte version | 12 bytes nonce | 16 bytes tag | 2 bytes length of the head | head (JSON) | ciphertext
//
// Since version 5, the length and the id of the cluster's key follow the version, and both are authenticated.

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { ClusterKey } from "@vitrine/gateway/cluster-port";
import { OWN_WIRE, type WireRange, wireText } from "../membership/wire-version.ts";
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
  /** The wire version of the envelope. */
  version: number;
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
  /** The cluster's keys, each with at least 32 bytes. The first seals, all open. */
  keys: readonly ClusterKey[];
  /** The wire versions that this process supports. */
  wire?: WireRange;
  /** Milliseconds by which clocks may differ, including the delivery time. */
  window?: number;
  /** Maximum number of remembered senders. */
  most?: number;
  /** Milliseconds since 1970. */
  clock?: () => number;
}

/** The first version whose envelopes name their key. */
const KEY_NAMED = 5;
const NONCE = 12;
const TAG = 16;
const LONGEST_HEAD = 4096;
const SENDER = /^[0-9a-f]{24}\.\d{1,16}$/;
const KEY_ID = /^[\w-]{1,64}$/;

/** An envelope whose parts were found, but not yet checked. */
interface Parts {
  version: number;
  /** Undefined before version 5. */
  keyId: string | undefined;
  head: Head & Stamp;
  /** The authenticated bytes in front of the nonce. */
  prefix: Buffer;
  nonce: Buffer;
  tag: Buffer;
  open: Buffer;
  sealed: Buffer;
}

/** Seals and opens the envelopes of one process. */
export class Envelopes {
  readonly #options: Required<EnvelopeOptions>;
  readonly #derived = new Map<string, KeyObject>();
  readonly #replays: ReplayWindow;
  readonly #first: ClusterKey;
  #seq = 0;

  constructor(options: EnvelopeOptions) {
    const [first] = options.keys;
    if (!first || options.keys.some(({ secret }) => secret.length < 32)) {
      throw new TypeError("Each key of the cluster needs at least 32 bytes. Check cluster.key.");
    }
    this.#first = first;
    this.#options = {
      ...{ window: 30_000, most: 10_000, clock: Date.now, wire: OWN_WIRE },
      ...options,
    };
    const { window, most } = this.#options;
    this.#replays = new ReplayWindow({ most, remember: 2 * window });
  }

  /** Seals with the first key, in a version that the recipient supports; the newest by default. */
  seal(from: string, head: Head, body: string, given?: number): Uint8Array {
    const version = given ?? this.#options.wire.newest;
    const stamped = { ...head, from, seq: ++this.#seq, at: this.#options.clock() };
    const open = Buffer.from(JSON.stringify(stamped));
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", this.#keyOf(this.#first, from), nonce);
    const prefix = prefixOf(version, this.#first.id);
    cipher.setAAD(aadOf(version, prefix, open));
    const sealed = cipher.update(body, "utf8");
    cipher.final();
    const length = Buffer.alloc(2);
    length.writeUInt16BE(open.length);
    return Buffer.concat([prefix, nonce, cipher.getAuthTag(), length, open, sealed]);
  }

  /** Opens an envelope for an address. Throws an `EnvelopeError`. */
  open(bytes: Uint8Array, address: string): PeerMessage {
    const parts = this.#read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const { head, version } = parts;
    const body = this.#decipher(parts);
    if (head.to !== address) {
      throw new EnvelopeError("misdirected", `The recipient is ${head.to}, not this process.`);
    }
    const now = this.#options.clock();
    if (Math.abs(now - head.at) > this.#options.window) {
      const text = `The message is ${now - head.at} ms old. Synchronize the clocks of all machines.`;
      throw new EnvelopeError("stale", text);
    }
    if (!this.#replays.accept(head.from, head.seq, now)) {
      throw new EnvelopeError(
        "replayed",
        `Message ${head.seq} of ${head.from} was received before.`,
      );
    }
    return { head, body, version };
  }

  #read(bytes: Buffer): Parts {
    const { wire } = this.#options;
    const version = bytes[0] ?? 0;
    if (version < wire.oldest || version > wire.newest) {
      const text = `The message has wire version ${version}, but this gateway supports ${wireText(wire)}. Upgrade the older gateway.`;
      throw new EnvelopeError("malformed", text);
    }
    const start = version < KEY_NAMED ? 1 : 2 + (bytes[1] ?? 0);
    const keyId = version < KEY_NAMED ? undefined : bytes.toString("latin1", 2, start);
    const fixed = start + NONCE + TAG + 2;
    const length = bytes.length < fixed ? 0 : bytes.readUInt16BE(fixed - 2);
    const isNamed = keyId === undefined || KEY_ID.test(keyId);
    if (!isNamed || length === 0 || length > LONGEST_HEAD || bytes.length < fixed + length) {
      throw new EnvelopeError("malformed", "This isn't an envelope.");
    }
    const head = parse(bytes.toString("utf8", fixed, fixed + length));
    if (!isHead(head) || !SENDER.test(head.from)) {
      throw new EnvelopeError("malformed", "The head is incomplete.");
    }
    return {
      ...{ version, keyId, head, prefix: bytes.subarray(0, start) },
      nonce: bytes.subarray(start, start + NONCE),
      tag: bytes.subarray(start + NONCE, start + NONCE + TAG),
      open: bytes.subarray(fixed, fixed + length),
      sealed: bytes.subarray(fixed + length),
    };
  }

  #decipher(parts: Parts): string {
    const { keys } = this.#options;
    const { keyId } = parts;
    for (const key of keys) {
      if (keyId !== undefined && key.id !== keyId) continue;
      const body = this.#decipherWith(key, parts);
      if (body !== undefined) return body;
    }
    const own = keys.map(({ id }) => id).join(", ");
    const isUnknown = keyId !== undefined && !keys.some(({ id }) => id === keyId);
    const text = isUnknown
      ? `The message names the key ${keyId}, but cluster.key of this gateway has ${own}. Use the same file on all gateways.`
      : `The message wasn't sealed with cluster.key of this gateway (${own}): it was changed, or the gateways have different keys.`;
    throw new EnvelopeError("forged", text);
  }

  #decipherWith(key: ClusterKey, parts: Parts): string | undefined {
    const { version, prefix, nonce, tag, open, sealed, head } = parts;
    const decipher = createDecipheriv("aes-256-gcm", this.#keyOf(key, head.from), nonce, {
      authTagLength: TAG,
    });
    decipher.setAAD(aadOf(version, prefix, open));
    decipher.setAuthTag(tag);
    const body = decipher.update(sealed);
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return body.toString();
  }

  /** One key for each epoch of a process, which never seals enough envelopes to exhaust a key. */
  #keyOf({ id, secret }: ClusterKey, from: string): KeyObject {
    const name = `${id} ${from}`;
    const known = this.#derived.get(name);
    if (known) return known;
    const bytes = hkdfSync("sha256", secret, "", `vitrine cluster ${from}`, 32);
    // Passing bytes would create a key object for each envelope, which takes four times as long as the rest.
    const key = createSecretKey(Buffer.from(bytes));
    if (this.#derived.size >= this.#options.most) this.#derived.clear();
    this.#derived.set(name, key);
    return key;
  }
}

function prefixOf(version: number, keyId: string): Buffer {
  if (version < KEY_NAMED) return Buffer.from([version]);
  return Buffer.concat([Buffer.from([version, keyId.length]), Buffer.from(keyId, "latin1")]);
}

/** Version 4 doesn't authenticate its first byte. */
function aadOf(version: number, prefix: Buffer, open: Buffer): Buffer {
  return version < KEY_NAMED ? open : Buffer.concat([prefix, open]);
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
