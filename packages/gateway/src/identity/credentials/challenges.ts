import type { Engine } from "../../engine/engine.ts";
import type { User } from "../user-token.ts";
import { loginKey } from "./token-store.ts";

/** What a server required when it rejected a user. */
export interface Challenge {
  scope?: string;
  /** The address of the server's metadata. */
  metadataUrl?: URL;
}

/** Stores for an hour what servers required, for the login that follows. */
export interface Challenges {
  note(user: User, server: string, header: string): Promise<void>;
  get(user: User, server: string): Promise<Challenge | undefined>;
  forget(user: User, server: string): Promise<void>;
}

const HOUR = 60 * 60_000;
const LONGEST = 4096;

/** Stores challenges in an engine. */
export function createChallenges(engine: Engine): Challenges {
  const kv = engine.kv("oauth-challenges", { ttl: HOUR });
  return {
    note: async (user, server, header) => {
      const found = readChallenge(header);
      if (!found.scope && !found.metadataUrl) return;
      const value = new TextEncoder().encode(JSON.stringify(found));
      await kv.put(loginKey(user, server), value);
    },
    get: async (user, server) => {
      const entry = await kv.get(loginKey(user, server));
      if (!entry) return undefined;
      const { scope, metadataUrl } = JSON.parse(new TextDecoder().decode(entry.value)) as {
        scope?: string;
        metadataUrl?: string;
      };
      return { ...(scope && { scope }), ...(metadataUrl && { metadataUrl: new URL(metadataUrl) }) };
    },
    forget: (user, server) => kv.delete(loginKey(user, server)),
  };
}

function readChallenge(header: string): Challenge {
  if (header.length > LONGEST || !/^bearer\s/i.test(header)) return {};
  const scope = /[\s,]scope="([\x20\x21\x23-\x5b\x5d-\x7e]{1,1000})"/i.exec(header)?.[1];
  const address = /[\s,]resource_metadata="([^"\s]{1,2000})"/i.exec(header)?.[1];
  const metadataUrl = address && URL.canParse(address) ? new URL(address) : undefined;
  return { ...(scope && { scope }), ...(metadataUrl && { metadataUrl }) };
}
