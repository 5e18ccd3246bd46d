// Per-user log-ins put together: what the gateway's routes and upstreams use of them.

import type { Engine } from "../../engine/engine.ts";
import { createSealer, type SealingKey } from "../../sealing.ts";
import type { Upstream } from "../../upstreams/upstream.ts";
import type { User } from "../user-token.ts";
import { createAuthorities, type OAuthServer } from "./authority.ts";
import { createChallenges } from "./challenges.ts";
import { CredentialedUpstream } from "./credentialed-upstream.ts";
import { createLoginFlow, type LoginFlow } from "./login-flow.ts";
import { createOAuthClients, type OAuthClients } from "./oauth-clients.ts";
import { createTokenStore } from "./token-store.ts";
import { createTokens } from "./tokens.ts";

/** What per-user log-ins are made of. */
export interface CredentialsOptions {
  engine: Engine;
  keys: readonly SealingKey[];
  /** The gateway's address as browsers see it. */
  publicUrl: string;
  /** Of the pages that a browser may be sent back to. */
  origins: readonly string[];
  clock?: () => number;
}

/** The log-ins of all users to all servers. */
export interface Credentials {
  readonly flow: LoginFlow;
  readonly clients: OAuthClients;
  isConnected(user: User, server: OAuthServer): Promise<boolean>;
  disconnect(user: User, server: OAuthServer): Promise<void>;
  /** An upstream that is spoken to with each user's own token. */
  wrap(upstream: Upstream, server: OAuthServer): Upstream;
}

/** Puts them together. */
export function createCredentials(options: CredentialsOptions): Credentials {
  const { engine, keys, publicUrl, origins } = options;
  const clock = options.clock ?? Date.now;
  const sealer = createSealer(keys);
  const store = createTokenStore(engine, sealer);
  const authorities = createAuthorities(clock);
  const clients = createOAuthClients({ engine, sealer, publicUrl });
  const challenges = createChallenges(engine);
  const parts = { engine, sealer, store, authorities, clients, challenges, clock };
  const tokens = createTokens(parts);
  return {
    flow: createLoginFlow({ ...parts, origins }),
    clients,
    isConnected: async (user, server) => (await store.get(user, server)) !== undefined,
    disconnect: (user, server) => store.remove(user, server),
    wrap: (upstream, server) => new CredentialedUpstream(upstream, server, { tokens, challenges }),
  };
}
