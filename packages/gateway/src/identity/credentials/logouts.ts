// A log-out must count in every process that has a stream or session of the user. It is written to a bucket
// that each process watches: the store is what they have in common, and what it holds is sealed.

import type { Engine } from "../../engine/engine.ts";
import type { User } from "../user-token.ts";
import { loginKey } from "./token-store.ts";

/** Someone who has streams and sessions of users at one server. */
export interface LogoutListener {
  readonly id: string;
  /** Ends what the user has at the server, and forgets the token. */
  logOut(user: User): Promise<void>;
}

/** Tells every process that a user logged out of a server. */
export interface Logouts {
  join(listener: LogoutListener): () => void;
  /** Resolves when this process has ended everything, and the others will. */
  announce(user: User, server: string): Promise<void>;
  close(): void;
}

const MINUTE = 60_000;

/** Announces log-outs by an engine. */
export function createLogouts(engine: Engine): Logouts {
  const kv = engine.kv("oauth-logouts", { ttl: MINUTE });
  const listeners = new Set<LogoutListener>();
  const end = async (user: User, server: string): Promise<void> => {
    const those = [...listeners].filter(({ id }) => id === server);
    await Promise.allSettled(those.map((listener) => listener.logOut(user)));
  };
  const stop = kv.watch(
    ({ entry }) => {
      const said = entry && read(entry.value);
      if (said) void end(said, said.server);
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
