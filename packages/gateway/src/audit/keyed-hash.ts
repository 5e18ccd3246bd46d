import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

const known = new WeakMap<Uint8Array, KeyObject>();

/** SHA-256 in hex; with a key HMAC-SHA-256, which only its holder can make. */
export function keyedHash(data: string | Uint8Array, key: Uint8Array | undefined): string {
  if (!key) return hash("sha256", data, "hex");
  return createHmac("sha256", objectOf(key)).update(data).digest("hex");
}

/** Bytes would be made a key again for each hash, at seven times the cost of the hash. */
function objectOf(key: Uint8Array): KeyObject {
  let object = known.get(key);
  if (!object) {
    object = createSecretKey(key);
    known.set(key, object);
  }
  return object;
}
