// Bounds for registrations without a credential. Anyone can send those, so one address gets a part
// of the anonymous share, and all of them together get a part of the store.

import { base32, type Signer } from "./digest.ts";
import type { ViewStore } from "./view-store.ts";

/** How much may be registered without a credential. */
export interface AnonymousLimits {
  /** Views of one client address in an hour. */
  addressViews: number;
  /** Bytes of documents of one client address in a minute, two for each character. */
  addressBytes: number;
  /** Views of all addresses in an hour. */
  anonymousViews: number;
  /** Bytes of documents of all addresses in a minute, two for each character. */
  anonymousBytes: number;
}

/** Counts what is registered without a credential. */
export interface AnonymousQuota {
  /** Whether this address may register one more View. */
  addView(address: string | undefined): Promise<boolean>;
  /** Whether this address may store a document of this many characters. */
  addDocument(address: string | undefined, characters: number): Promise<boolean>;
}

// As long as what is counted stays in the store: a report address for an hour, a document for a minute.
const VIEW_WINDOW = 60 * 60_000;
const BYTES_WINDOW = 60_000;

/** A quota that works with every store, since it needs counters only. */
export function createAnonymousQuota(
  store: ViewStore,
  signer: Signer,
  limits: AnonymousLimits,
): AnonymousQuota {
  /**
   * One of 1,024 counters. A counter for each address would let a sender with many addresses fill the
   * store with counters. The key decides which addresses share one, so a sender can't choose whom to block.
   */
  const bucketOf = async (address: string | undefined): Promise<string> =>
    address === undefined
      ? "unknown"
      : base32(await signer.sign(["address", networkOf(address)])).slice(0, 2);

  const add = async (
    what: "views" | "bytes",
    address: string | undefined,
    amount: number,
  ): Promise<boolean> => {
    const [own, all, ttl] =
      what === "views"
        ? [limits.addressViews, limits.anonymousViews, VIEW_WINDOW]
        : [limits.addressBytes, limits.anonymousBytes, BYTES_WINDOW];
    const bucket = await bucketOf(address);
    // The address first: attempts beyond its own limit must not use up what is left for others.
    if ((await store.add(`anonymous-${what}:${bucket}`, amount, { ttl })) > own) return false;
    return (await store.add(`anonymous-${what}`, amount, { ttl })) <= all;
  };
  return {
    addView: (address) => add("views", address, 1),
    addDocument: (address, characters) => add("bytes", address, 2 * characters),
  };
}

/** An IPv4 address as it is, of an IPv6 address its first 64 bits: one client has all of the rest. */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, "").toLowerCase();
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/.exec(plain)?.[1];
  if (mapped) return mapped;
  if (!plain.includes(":")) return plain;
  const [before = "", after] = plain.split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after ? after.split(":") : [];
  const zeros = after === undefined ? 0 : Math.max(8 - first.length - last.length, 0);
  const groups = [...first, ...Array<string>(zeros).fill("0"), ...last];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
