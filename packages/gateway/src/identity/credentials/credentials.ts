// Assembles per-user OAuth logins into what the gateway's routes and upstreams use.

import { createSealer, type SealingKey } from "../../crypto/sealing.ts";
import type { Engine } from "../../engine/engine.ts";
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

/** The options of `createCredentials`. */
export interface CredentialsOptions {
  engine: Engine;
  keys: readonly SealingKey[];
  /** The gateway's public address, as browsers see it. */
  publicUrl: string;
  /** Origins of the pages that a browser may be redirected to after a login. */
  origins: readonly string[];
  limits?: Partial<LoginLimits>;
  clock?: () => number;
}

/** The logins of all users to all servers. */
export interface Credentials {
  readonly flow: LoginFlow;
  readonly clients: OAuthClients;
  isConnected(user: User, server: OAuthServer): Promise<boolean>;
  /** Logs a user out in every process, and revokes the tokens at the authorization server if possible. */
  disconnect(user: User, server: OAuthServer): Promise<void>;
  /** The same for an operator, who isn't limited. Resolves to whether the user was logged in. */
  remove(user: User, server: OAuthServer): Promise<boolean>;
  /**
   * Wraps an upstream so that each request carries the user's own token. `sessions` holds this process's
   * sessions; a user's sessions end when the user logs out.
   */
  wrap(
    upstream: Upstream,
    server: OAuthServer,
    options?: { sessions?: Pick<OwnableUpstream, "end"> },
  ): Upstream;
  close(): void;
}

/** Creates the logins of all users. */
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
  const remove = async (user: User, server: OAuthServer): Promise<boolean> => {
    const stored = await store.get(user, server);
    // Remove the token first, so that no call that starts from here on can use it.
    await store.remove(user, server);
    await challenges.forget(user, server.id);
    await logouts.announce(user, server.id);
    if (stored) await revocation.revoke(server, stored.record);
    return stored !== undefined;
  };
  return {
    flow: createLoginFlow({ ...parts, origins, gate }),
    clients,
    isConnected: async (user, server) => (await store.get(user, server)) !== undefined,
    disconnect: async (user, server) => {
      gate.take(user);
      await remove(user, server);
    },
    remove,
    wrap: (upstream, server, { sessions } = {}) =>
      new CredentialedUpstream(upstream, server, { tokens, challenges, logouts, sessions }),
    close: () => logouts.close(),
  };
}
