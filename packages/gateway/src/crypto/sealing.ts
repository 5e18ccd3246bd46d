// Encrypts stored values with AES-256-GCM. The key's id comes first, so that keys can be rotated. The value's
// type and location are associated data, so that a value copied elsewhere doesn't open.
//
//   1 byte version | 1 byte length | key id | 12 bytes nonce | 16 bytes tag | ciphertext

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** A key and its id. */
export interface SealingKey {
  id: string;
  secret: Uint8Array;
}

/** Encrypts and decrypts. */
export interface Sealer {
  /** `binding` identifies the value and its owner. `open` needs the same binding. */
  seal(text: string, binding: readonly string[]): Uint8Array;
  /** Returns undefined if the key is unknown, the binding differs, or the bytes were changed. */
  open(sealed: Uint8Array, binding: readonly string[]): string | undefined;
  sealBytes(bytes: Uint8Array, binding: readonly string[]): Uint8Array;
  openBytes(sealed: Uint8Array, binding: readonly string[]): Uint8Array | undefined;
  /** Whether the first key sealed it, as far as it says itself. */
  isCurrent(sealed: Uint8Array): boolean;
}

const VERSION = 1;
const NONCE = 12;
const TAG = 16;

/** The first key seals, every key opens. `purpose` separates keys that are derived from one secret. */
export function createSealer(
  keys: readonly SealingKey[],
  { purpose = "credentials" }: { purpose?: string } = {},
): Sealer {
  const [first] = keys;
  if (!first) throw new TypeError(`Sealing for ${purpose} needs at least one key.`);
  const derived = new Map(keys.map(({ id, secret }) => [id, derive(secret, purpose)]));
  const sealBytes: Sealer["sealBytes"] = (bytes, binding) => {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv("aes-256-gcm", derived.get(first.id) as Buffer, nonce);
    cipher.setAAD(aadOf(binding, first.id));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    const id = Buffer.from(first.id);
    const head = Buffer.from([VERSION, id.length]);
    return Buffer.concat([head, id, nonce, cipher.getAuthTag(), sealed]);
  };
  const openBytes: Sealer["openBytes"] = (sealed, binding) => {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
    const start = 2 + (bytes[1] ?? 0);
    if (bytes[0] !== VERSION || bytes.length < start + NONCE + TAG) return undefined;
    const id = bytes.toString("utf8", 2, start);
    const key = derived.get(id);
    if (!key) return undefined;
    const nonce = bytes.subarray(start, start + NONCE);
    const tag = bytes.subarray(start + NONCE, start + NONCE + TAG);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG });
    decipher.setAAD(aadOf(binding, id));
    decipher.setAuthTag(tag);
    try {
      const opened = decipher.update(bytes.subarray(start + NONCE + TAG));
      return Buffer.concat([opened, decipher.final()]);
    } catch {
      return undefined;
    }
  };
  const isCurrent = (sealed: Uint8Array): boolean =>
    Buffer.from(sealed).toString("utf8", 2, 2 + (sealed[1] ?? 0)) === first.id;
  return {
    sealBytes,
    openBytes,
    isCurrent,
    seal: (text, binding) => sealBytes(Buffer.from(text), binding),
    open: (sealed, binding) => {
      const bytes = openBytes(sealed, binding);
      return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
    },
  };
}

/** Derives a separate key per purpose, even if an operator uses one secret for several of them. */
function derive(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `vitrine ${purpose}`, 32));
}

function aadOf(binding: readonly string[], keyId: string): Buffer {
  return Buffer.from(JSON.stringify([keyId, ...binding]));
}
