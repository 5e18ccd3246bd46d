// What is kept of users is encrypted: AES-256-GCM, with the key's name in front, so that keys can be
// changed, and whose it is as additional data, so that nobody can be given what is another's.
//
//   1 byte version | 1 byte length | key id | 12 bytes nonce | 16 bytes tag | ciphertext

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** A key and its name. */
export interface SealingKey {
  id: string;
  secret: Uint8Array;
}

/** Encrypts and decrypts. */
export interface Sealer {
  /** `binding` says what it is and whose; the same is needed to open it. */
  seal(text: string, binding: readonly string[]): Uint8Array;
  /** Nothing if it was made with an unknown key, for somebody else, or changed. */
  open(sealed: Uint8Array, binding: readonly string[]): string | undefined;
}

const VERSION = 1;
const NONCE = 12;
const TAG = 16;

/** The first key seals, all of them open. */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const [first] = keys;
  if (!first) throw new TypeError("Credentials need at least one key; set credentials.keys.");
  const derived = new Map(keys.map(({ id, secret }) => [id, derive(secret)]));
  return {
    seal: (text, binding) => {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", keyOf(derived, first.id), nonce);
      cipher.setAAD(aadOf(binding, first.id));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      const id = Buffer.from(first.id);
      const head = Buffer.from([VERSION, id.length]);
      return Buffer.concat([head, id, nonce, cipher.getAuthTag(), sealed]);
    },
    open: (sealed, binding) => {
      const bytes = Buffer.from(sealed);
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
        return Buffer.concat([opened, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function keyOf(derived: ReadonlyMap<string, Buffer>, id: string): Buffer {
  return derived.get(id) as Buffer;
}

/** Of its own, even where an operator uses one secret for several things. */
function derive(secret: Uint8Array): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "vitrine credentials", 32));
}

function aadOf(binding: readonly string[], keyId: string): Buffer {
  return Buffer.from(JSON.stringify([keyId, ...binding]));
}
