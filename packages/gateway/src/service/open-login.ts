// How users log in to the gateway, from its configuration.

import { randomBytes } from "node:crypto";
import { type GatewayConfig, issuersOf } from "../config/config.ts";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine } from "../engine/index.ts";
import type { GatewayOptions } from "../gateway.ts";
import { ownIssuer } from "../identity/enterprise-grants.ts";
import type { KeyState, KeyStore, StoredKeys } from "../identity/issuer-keys.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";
import { type Authenticate, devAuthenticator, jwtAuthenticator } from "../identity/user-token.ts";
import type { Log } from "../observability/log.ts";

/** The log-in of a gateway. */
export interface Login {
  authenticate: Authenticate;
  /** What clients learn about it. Undefined if tokens are only checked against an audience. */
  published: GatewayOptions["login"];
  /** The generated token, if there is one. */
  devToken?: string;
  /** The last known state of each issuer's keys. */
  states(): readonly KeyState[];
  /** False while the keys of all issuers are missing. */
  canLogIn(): boolean;
}

/** Opens the log-in. */
export function openLogin(
  config: GatewayConfig,
  engine: Engine,
  { log, signing }: { log: Log; signing: SigningKeys | undefined },
): Login {
  const { auth, listen } = config;
  if (auth.mode === "dev") {
    const token = auth.token ?? randomBytes(32).toString("base64url");
    const isGenerated = auth.token === undefined;
    return {
      authenticate: devAuthenticator(token),
      published: undefined,
      ...(isGenerated && { devToken: token }),
      states: () => [],
      canLogIn: () => true,
    };
  }
  const issuers = issuersOf(config);
  const states = new Map<string, KeyState>(
    issuers.map(({ issuer }) => [issuer, { issuer, state: "loading" }]),
  );
  const onKeys = (now: KeyState): void => {
    const before = states.get(now.issuer);
    states.set(now.issuer, now);
    const { issuer, state, cause } = now;
    if (state === "missing") log.error({ issuer, cause }, "the issuer's keys can't be loaded");
    if (state === "stale") log.warn({ issuer, cause }, "using the issuer's last good keys");
    if (state === "fresh" && before?.state !== "loading")
      log.info({ issuer }, "the issuer's keys are loaded again");
  };
  // The gateway's own tokens are the last choice of clients that log users in.
  const own = auth.enterprise && signing && { issuer: listen.publicUrl ?? "", keys: signing };
  return {
    authenticate: jwtAuthenticator([...issuers, ...(own ? [ownIssuer(own)] : [])], {
      store: storeIn(engine),
      ...{ onKeys, preload: true },
    }),
    published:
      listen.publicUrl === undefined
        ? undefined
        : {
            publicUrl: listen.publicUrl,
            issuers: [...issuers, ...(own ? [own] : [])].map(({ issuer }) => issuer),
            scopes: auth.scopes,
          },
    states: () => [...states.values()],
    canLogIn: () =>
      states.size === 0 || [...states.values()].some(({ state }) => state !== "missing"),
  };
}

/** Keeps key sets in the engine, so that a restart doesn't need the issuers. */
export function storeIn(engine: Engine): KeyStore {
  const kept = engine.kv("issuer-keys", { durable: true });
  return {
    load: async (issuer) => {
      const entry = await kept.get(hashOf(issuer));
      return entry && (JSON.parse(new TextDecoder().decode(entry.value)) as StoredKeys);
    },
    save: async (issuer, keys) => {
      await kept.put(hashOf(issuer), new TextEncoder().encode(JSON.stringify(keys)));
    },
  };
}
