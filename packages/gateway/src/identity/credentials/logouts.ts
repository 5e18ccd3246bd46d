// A logout must take effect in every process that has a stream or session of the user. It is written to a
// key-value bucket that every process watches. The values are sealed.

import type { Engine } from "../../engine/engine.ts";
import type { User } from "../user-token.ts";
import { loginKey } from "./token-store.ts";

/** Holds streams and sessions of users at one server. */
export interface LogoutListener {
  readonly id: string;
  /** Ends the user's streams and sessions at the server and forgets the token. */
  logOut(user: User): Promise<void>;
}

/** Notifies every process that a user logged out of a server. */
export interface Logouts {
  join(listener: LogoutListener): () => void;
  /** Resolves when this process has ended everything. The others do the same on their own. */
  announce(user: User, server: string): Promise<void>;
  close(): void;
}

const MINUTE = 60_000;

/** Announces logouts through an engine. */
export function createLogouts(engine: Engine): Logouts {
  const kv = engine.kv("oauth-logouts", { ttl: MINUTE });
  const listeners = new Set<LogoutListener>();
  const end = async (user: User, server: string): Promise<void> => {
    const those = [...listeners].filter(({ id }) => id === server);
    await Promise.allSettled(those.map((listener) => listener.logOut(user)));
  };
  const stop = kv.watch(
    ({ entry }) => {
      const logout = entry && read(entry.value);
      if (logout) void end(logout, logout.server);
    },
    { fromNow: true },
  );
  return {
    join: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: async ({ tenant, user }, server) => {
      const value = Buffer.from(JSON.stringify({ tenant, user, server }));
      await end({ tenant, user }, server);
      await kv.put(loginKey({ tenant, user }, server), value);
    },
    close: stop,
  };
}

function read(value: Uint8Array): (User & { server: string }) | undefined {
  try {
    return JSON.parse(Buffer.from(value).toString()) as User & { server: string };
  } catch {
    return undefined;
  }
}
