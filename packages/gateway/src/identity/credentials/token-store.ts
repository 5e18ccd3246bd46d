// Users' tokens, each for one server, from one authorization server, for one resource. A token leaves this
// file only in an Authorization header to that server.

import type { OAuthTokens } from "@modelcontextprotocol/client";
import type { Sealer } from "../../crypto/sealing.ts";
import { hashOf } from "../../crypto/stable-hash.ts";
import type { Engine, Entry } from "../../engine/engine.ts";
import { EngineError } from "../../engine/engine-error.ts";
import type { User } from "../user-token.ts";
import type { OAuthServer } from "./authority.ts";

/** The stored data of one login. */
export interface TokenRecord {
  issuer: string;
  resource: string;
  accessToken: string;
  refreshToken?: string;
  scope?: string;
  /** Milliseconds since 1970. Undefined if the authorization server sent no expiry. */
  expires?: number;
  /** When the token was issued, in milliseconds since 1970. */
  issued?: number;
}

/** A record with its revision in the store. */
export interface StoredToken {
  record: TokenRecord;
  revision: number;
}

/** Stores tokens. */
export interface TokenStore {
  get(user: User, server: OAuthServer): Promise<StoredToken | undefined>;
  put(user: User, server: OAuthServer, record: TokenRecord): Promise<void>;
  /** Replaces a record that was read before. Returns false if it has changed since. */
  replace(user: User, server: OAuthServer, record: TokenRecord, revision: number): Promise<boolean>;
  remove(user: User, server: OAuthServer, revision?: number): Promise<void>;
}

/** The key of a user's login to a server. */
export function loginKey({ tenant, user }: User, server: string): string {
  return hashOf([tenant, user, server]);
}

/** Opens the token store in an engine. */
export function createTokenStore(engine: Engine, sealer: Sealer): TokenStore {
  const kv = engine.kv("oauth-tokens", { durable: true });
  const bindingOf = ({ tenant, user }: User, { id }: OAuthServer): string[] => [
    "token",
    tenant,
    user,
    id,
  ];
  const seal = (user: User, server: OAuthServer, record: TokenRecord): Uint8Array =>
    sealer.seal(JSON.stringify(record), bindingOf(user, server));

  const read = (user: User, server: OAuthServer, entry: Entry): TokenRecord | undefined => {
    const text = sealer.open(entry.value, bindingOf(user, server));
    if (text === undefined) return undefined;
    const record = JSON.parse(text) as TokenRecord;
    // The configured address or authority changed, so the token doesn't belong to the current server.
    const { issuer } = server.oauth;
    const isFor = server.url === record.resource || isWithin(server.url, record.resource);
    return isFor && (issuer === undefined || issuer === record.issuer) ? record : undefined;
  };

  return {
    get: async (user, server) => {
      const entry = await kv.get(loginKey(user, server.id));
      const record = entry && read(user, server, entry);
      return record && { record, revision: entry.revision };
    },
    put: async (user, server, record) => {
      await kv.put(loginKey(user, server.id), seal(user, server, record));
    },
    replace: async (user, server, record, revision) => {
      try {
        await kv.update(loginKey(user, server.id), seal(user, server, record), revision);
        return true;
      } catch (error) {
        if (error instanceof EngineError && error.code === "conflict") return false;
        throw error;
      }
    },
    remove: async (user, server, revision) => {
      await kv.delete(loginKey(user, server.id), revision).catch((error: unknown) => {
        if (!(error instanceof EngineError) || error.code !== "conflict") throw error;
      });
    },
  };
}

/** Converts the response of an authorization server to a record. */
export function recordOf(
  tokens: OAuthTokens,
  { issuer, resource, now }: { issuer: string; resource: string; now: number },
): TokenRecord {
  return {
    issuer,
    resource,
    accessToken: tokens.access_token,
    issued: now,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    ...(tokens.scope !== undefined && { scope: tokens.scope }),
    ...(tokens.expires_in !== undefined && { expires: now + tokens.expires_in * 1000 }),
  };
}

function isWithin(url: string, resource: string): boolean {
  if (!URL.canParse(resource)) return false;
  const own = new URL(url);
  const { origin, pathname } = new URL(resource);
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return own.origin === origin && `${own.pathname}/`.startsWith(folder);
}
