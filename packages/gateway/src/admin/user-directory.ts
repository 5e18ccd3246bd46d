// The users that the gateways have seen. A user is noted at most every few minutes, and forgotten after 90 days.

import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine } from "../engine/engine.ts";
import { jsonBytes, watchBucket } from "../engine/watched-bucket.ts";
import type { User } from "../identity/user-token.ts";

/** A user, and when they were seen last. */
export interface KnownUser extends User {
  /** Milliseconds since 1970. */
  lastSeen: number;
}

/** The users that the gateways have seen. */
export interface UserDirectory {
  see(user: User): void;
  /** Users whose name contains a text, the latest first. */
  find(query: string, limit: number): KnownUser[];
  close(): void;
}

const DAY = 86_400_000;
const NOTED_EVERY = 5 * 60_000;
const MOST = 100_000;

/** Opens the directory in an engine. */
export function createUserDirectory(engine: Engine): UserDirectory {
  const kv = engine.kv("users", { ttl: 90 * DAY, durable: true });
  const users = watchBucket<KnownUser>(kv);
  const noted = new Map<string, number>();
  return {
    see: ({ tenant, user }) => {
      const id = JSON.stringify([tenant, user]);
      const now = Date.now();
      if ((noted.get(id) ?? 0) > now - NOTED_EVERY) return;
      if (noted.size >= MOST) noted.clear();
      noted.set(id, now);
      const key = hashOf([tenant, user]);
      if (users.size >= MOST && !users.get(key)) return;
      // The directory is for display: a write that fails is repeated later.
      void kv.put(key, jsonBytes({ tenant, user, lastSeen: now })).catch(() => noted.delete(id));
    },
    find: (query, limit) => {
      const wanted = query.toLowerCase();
      return [...users.values()]
        .filter(({ tenant, user }) => `${tenant}/${user}`.toLowerCase().includes(wanted))
        .sort((a, b) => b.lastSeen - a.lastSeen)
        .slice(0, limit);
    },
    close: users.close,
  };
}
