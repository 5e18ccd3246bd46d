import { createHmac, hash } from "node:crypto";

/** SHA-256 in hex; with a key HMAC-SHA-256, which only its holder can compute. */
export function keyedHash(data: string | Uint8Array, key: Uint8Array | undefined): string {
  if (!key) return hash("sha256", data, "hex");
  return createHmac("sha256", key).update(data).digest("hex");
}
