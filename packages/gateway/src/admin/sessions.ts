// Sessions of the console. The cookie is a random id; the store has only its hash, so that a reader of the store
// can't use a session. Every gateway accepts it.

import { hash, randomBytes } from "node:crypto";
import type { Engine } from "../engine/engine.ts";
import { jsonBytes, readJson } from "../engine/watched-bucket.ts";
import type { Principal } from "./operators.ts";

interface StoredSession {
  principal: Principal;
  /** Milliseconds since 1970. */
  expires: number;
}

/** The sessions of all operators. */
export interface Sessions {
  /** Returns the value of the `set-cookie` header. */
  begin(principal: Principal): Promise<string>;
  find(cookies: string | undefined): Promise<Principal | undefined>;
  /** Returns the value of the `set-cookie` header. */
  end(cookies: string | undefined): Promise<string>;
}

const LIFETIME = 8 * 3_600_000;

/** Opens the sessions in an engine. `isSecure`: the console is reached by https. */
export function createSessions(engine: Engine, { isSecure }: { isSecure: boolean }): Sessions {
  const kv = engine.kv("admin-sessions", { ttl: LIFETIME, durable: true });
  // With the prefix, a browser accepts the cookie only for exactly this host, over https.
  const name = isSecure ? "__Host-vitrine-admin" : "vitrine-admin";
  const rules = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  const keyOf = (cookies: string | undefined): string | undefined => {
    const values = `${cookies ?? ""}`.split(";").map((part) => part.trim());
    const own = values.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    return own !== undefined && /^[\w-]{43}$/.test(own)
      ? hash("sha256", own, "base64url")
      : undefined;
  };
  return {
    begin: async (principal) => {
      const id = randomBytes(32).toString("base64url");
      const session: StoredSession = { principal, expires: Date.now() + LIFETIME };
      await kv.put(hash("sha256", id, "base64url"), jsonBytes(session));
      return `${name}=${id}; Max-Age=${LIFETIME / 1000}; ${rules}`;
    },
    find: async (cookies) => {
      const key = keyOf(cookies);
      const entry = key === undefined ? undefined : await kv.get(key);
      const session = entry && readJson<StoredSession>(entry.value);
      return session && session.expires > Date.now() ? session.principal : undefined;
    },
    end: async (cookies) => {
      const key = keyOf(cookies);
      if (key !== undefined) await kv.delete(key);
      return `${name}=; Max-Age=0; ${rules}`;
    },
  };
}
