// Per-user log-ins put together: what the gateway's routes and upstreams use of them.

import type { Engine } from "../../engine/engine.ts";
import { createSealer, type SealingKey } from "../../sealing.ts";
import type { OwnableUpstream, Upstream } from "../../upstreams/upstream.ts";
import type { User } from "../user-token.ts";
import { createAuthorities, type OAuthServer } from "./authority.ts";
import { createChallenges } from "./challenges.ts";
import { CredentialedUpstream } from "./credentialed-upstream.ts";
import { createLoginFlow, type LoginFlow, TIME_AT_AUTHORITY } from "./login-flow.ts";
import { LOGIN_LIMITS, LoginGate, type LoginLimits } from "./login-limits.ts";
import { createLogouts } from "./logouts.ts";
import { createOAuthClients, type OAuthClients } from "./oauth-clients.ts";
import { createRevocation } from "./revocation.ts";
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
  limits?: Partial<LoginLimits>;
  clock?: () => number;
}

/** The log-ins of all users to all servers. */
export interface Credentials {
  readonly flow: LoginFlow;
  readonly clients: OAuthClients;
  isConnected(user: User, server: OAuthServer): Promise<boolean>;
  /** Logs a user out: in every process, and at the authorization server if it can be told. */
  disconnect(user: User, server: OAuthServer): Promise<void>;
  /**
   * An upstream that is spoken to with each user's own token. `sessions` has the sessions of this process;
   * those of a user end when the user logs out.
   */
  wrap(
    upstream: Upstream,
    server: OAuthServer,
    options?: { sessions?: Pick<OwnableUpstream, "end"> },
  ): Upstream;
  close(): void;
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
  const logouts = createLogouts(engine);
  const revocation = createRevocation({ authorities, clients });
  const parts = { engine, sealer, store, authorities, clients, challenges, revocation, clock };
  const tokens = createTokens(parts);
  const limits = { ...LOGIN_LIMITS, ...options.limits };
  const gate = new LoginGate(limits, { clock, pendingTime: TIME_AT_AUTHORITY });
  return {
    flow: createLoginFlow({ ...parts, origins, gate }),
    clients,
    isConnected: async (user, server) => (await store.get(user, server)) !== undefined,
    disconnect: async (user, server) => {
      gate.take(user);
      const stored = await store.get(user, server);
      // First where it decides: a call that begins now finds no token.
      await store.remove(user, server);
      await challenges.forget(user, server.id);
      await logouts.announce(user, server.id);
      if (stored) await revocation.revoke(server, stored.record);
    },
    wrap: (upstream, server, { sessions } = {}) =>
      new CredentialedUpstream(upstream, server, { tokens, challenges, logouts, sessions }),
    close: () => logouts.close(),
  };
}
