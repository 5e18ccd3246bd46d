// The keys of the chain. A step names the key of its hash, so that keys can be rotated: the first key makes new
// steps, and all of them verify.

import { createHash } from "node:crypto";
import { keyedHash } from "../crypto/keyed-hash.ts";

/** A key of the audit log. */
export interface ChainKey {
  /** Names the key without revealing it. */
  readonly id: string;
  readonly secret: Uint8Array;
}

/** A hash, and the key that made it. */
export interface FoundHash {
  readonly hash: string;
  /** Undefined if the step doesn't name its key and no known key fits. */
  readonly key: string | undefined;
  /** Whether the key that made it is known. */
  readonly isKnown: boolean;
}

/**
 * The hash of some bytes under the key that they name. Steps of version 0.1 name none: then it is the key whose
 * hash is the `expected` one.
 */
export function findHash(
  bytes: Uint8Array,
  { keys, named, expected }: { keys: readonly ChainKey[]; named?: string; expected: string },
): FoundHash {
  if (named !== undefined) {
    const key = keys.find(({ id }) => id === named);
    // Without its key a hash can't be recomputed. The stored one still links the step to its neighbours.
    return key
      ? { hash: keyedHash(bytes, key.secret), key: named, isKnown: true }
      : { hash: expected, key: named, isKnown: false };
  }
  for (const { id, secret } of keys) {
    const hash = keyedHash(bytes, secret);
    if (hash === expected) return { hash, key: id, isKnown: true };
  }
  const hash = keyedHash(bytes, keys[0]?.secret);
  return { hash, key: undefined, isKnown: true };
}

/** The digest before the first step of a run. */
export const NO_DIGEST: string = "0".repeat(64);

/**
 * The digest of a run up to a step. Unlike the hashes it needs no key, so that an auditor can compare the log with
 * signed checkpoints.
 */
export function nextDigest(before: string, step: Uint8Array): string {
  return createHash("sha256").update(before).update(step).digest("hex");
}
