// Users whose access was revoked. They are stored in the engine, and every gateway follows them by a watch, so
// that a revocation takes effect everywhere within a second and a call needs no lookup.
//
// Every doubt rejects: a value that can't be read blocks its user, a value that disappears stays in force, and
// a gateway that can't follow the engine for a minute admits nobody.

import { setTimeout as sleep } from "node:timers/promises";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Change, Engine, Entry, Kv } from "../engine/engine.ts";
import { type Refusal, refuse } from "../errors/refusal.ts";
import type { User } from "./user-token.ts";

/** A user whose access was revoked. */
export interface Revocation extends User {
  /** Tokens and tickets from before this time are rejected. Milliseconds since 1970. */
  at: number;
  /** Later ones are rejected as well. */
  isBlocked: boolean;
  /** The operator who revoked it. */
  by: string;
  reason?: string;
  /** Whether the block was lifted. Tokens without an issue time are accepted again. */
  isRestored?: boolean;
}

/** The revocations of all users. */
export interface Revocations {
  /**
   * Ends what a user has: tokens and tickets issued before now, and open sockets and streams. `block` also
   * rejects later ones until `restore`. Takes effect here even if it rejects because the engine is away.
   */
  revoke(user: User, options: { by: string; reason?: string; block?: boolean }): Promise<void>;
  /** Lets a user log in again. Tokens from before the revocation stay rejected. */
  restore(user: User): Promise<void>;
  list(): readonly Revocation[];
  /**
   * Why a token or ticket isn't accepted. `issuedAt` is in milliseconds since 1970; a token without it counts
   * as old. Synchronous, from memory that follows the engine.
   */
  refusal(user: User, issuedAt: number | undefined): Refusal | undefined;
  /** Resolves when the stored revocations were read, or after a few seconds. */
  settled(): Promise<void>;
  /** Called for each revocation, made here or by another gateway. */
  onRevoked(fn: (user: User) => void): () => void;
  close(): void;
}

/** The options of `createRevocations`. */
export interface RevocationsOptions {
  /** Milliseconds since the engine last responded. Set if other processes may revoke. */
  silence?: (() => number) | undefined;
  clock?: () => number;
}

const LONGEST_SILENCE = 60_000;
const LONGEST_WAIT = 5000;
/** A token from further in the future than this has no useful issue time. */
const CLOCK_DIFFERENCE = 60_000;
const LONGEST_TEXT = 500;

/** Opens the revocations in an engine. */
export function createRevocations(
  engine: Engine,
  { silence = () => 0, clock = Date.now }: RevocationsOptions = {},
): Revocations {
  const kv = engine.kv("revocations", { durable: true, unreadable: "fail" });
  const known = new Map<string, Revocation>();
  const unreadable = new Set<string>();
  const listeners = new Set<(user: User) => void>();
  const stored: Entry[] = [];
  let isReady = false;
  const { promise: ready, resolve: onRead } = Promise.withResolvers<void>();

  const apply = (key: string, next: Revocation): void => {
    const before = known.get(key);
    known.set(key, next);
    unreadable.delete(key);
    const isStricter = next.isBlocked && !before?.isBlocked;
    if (!isStricter && next.at <= (before?.at ?? 0)) return;
    const { tenant, user } = next;
    for (const fn of [...listeners]) fn({ tenant, user });
  };
  const onChange = ({ key, entry, reason }: Change): void => {
    const value = entry && read(entry.value, key);
    if (value && !isReady) stored.push(entry);
    if (value) apply(key, value);
    // A revocation is never deleted, only overwritten, so a missing value means nothing.
    else if (entry || reason === "unreadable") unreadable.add(key);
  };
  const stop = kv.watch(onChange, {
    onReady: () => {
      isReady = true;
      onRead();
      void seal(kv, stored.splice(0));
    },
  });
  const store = async (key: string, next: Revocation): Promise<void> => {
    await kv.put(key, new TextEncoder().encode(JSON.stringify(next)));
  };

  return {
    revoke: async ({ tenant, user }, { by, reason, block = false }) => {
      const key = keyOf({ tenant, user });
      const before = known.get(key);
      const next: Revocation = {
        ...{ tenant, user, at: Math.max(clock(), before?.at ?? 0), by: by.slice(0, LONGEST_TEXT) },
        isBlocked: block || before?.isBlocked === true || unreadable.has(key),
        ...(reason !== undefined && { reason: reason.slice(0, LONGEST_TEXT) }),
      };
      apply(key, next);
      await store(key, next);
    },
    restore: async (user) => {
      const key = keyOf(user);
      const before = known.get(key);
      if (!before && !unreadable.has(key)) return;
      const at = before?.at ?? clock();
      const by = before?.by ?? "";
      const { tenant, user: name } = user;
      const next = { tenant, user: name, at, by, isBlocked: false, isRestored: true };
      await store(key, next);
      apply(key, next);
    },
    list: () => [...known.values()].filter(({ isRestored }) => !isRestored),
    refusal: (user, issuedAt) => {
      if (!isReady || silence() > LONGEST_SILENCE) {
        const message = "The gateway can't check whether your access was revoked. Try again soon.";
        return refuse("login-unavailable", message, { retryAfter: 5 });
      }
      if (known.size + unreadable.size === 0) return undefined;
      const key = keyOf(user);
      const found = known.get(key);
      if (found?.isBlocked || unreadable.has(key)) {
        return refuse("blocked", "Your access to this gateway was blocked. Ask the operator.");
      }
      if (!found || isNewer(issuedAt, found, clock())) return undefined;
      return refuse("unauthenticated", "Your access was revoked. Log in again.");
    },
    settled: async () => {
      if (!isReady) await Promise.race([ready, sleep(LONGEST_WAIT, undefined, { ref: false })]);
    },
    onRevoked: (fn) => {
      listeners.add(fn);
      return () => listeners.delete(fn);
    },
    close: () => {
      stop();
      listeners.clear();
    },
  };
}

/**
 * Writes the stored values again, so that they are sealed with the key that is in use now and stay readable when
 * an older key is removed. A value that changed in between is left alone.
 */
async function seal(kv: Kv, entries: readonly Entry[]): Promise<void> {
  for (const { key, value, revision } of entries) {
    await kv.update(key, value, revision).catch(() => {});
  }
}

function isNewer(
  issuedAt: number | undefined,
  { at, isRestored }: Revocation,
  now: number,
): boolean {
  if (issuedAt === undefined || issuedAt > now + CLOCK_DIFFERENCE) return isRestored === true;
  return issuedAt >= at;
}

/** A hash, so that an unreadable value still names the user that it is about. */
function keyOf({ tenant, user }: User): string {
  return hashOf([tenant, user]);
}

/** Undefined for a value that isn't a revocation of the key's user. */
function read(value: Uint8Array, key: string): Revocation | undefined {
  try {
    const found = JSON.parse(new TextDecoder().decode(value)) as Revocation;
    return Number.isFinite(found.at) && keyOf(found) === key ? found : undefined;
  } catch {
    return undefined;
  }
}
