// How a server learns who a call is for, from its configuration.

import type { IdentityConfig } from "../config/config.ts";
import type { Engine } from "../engine/index.ts";
import type { SigningKeys } from "../identity/signing-keys.ts";
import { createAssertions } from "../identity/upstream-identity/assertions.ts";
import { createServiceToken } from "../identity/upstream-identity/service-token.ts";
import { ServiceTokenUpstream } from "../identity/upstream-identity/service-token-upstream.ts";
import {
  createTokenExchange,
  type TokenExchange,
} from "../identity/upstream-identity/token-exchange.ts";
import {
  createTokenRequests,
  type TokenRequests,
} from "../identity/upstream-identity/token-request.ts";
import { TokenUpstream } from "../identity/upstream-identity/token-upstream.ts";
import type { User } from "../identity/user-token.ts";
import type { HttpUpstreamOptions } from "../upstreams/http-upstream.ts";
import {
  type AddressGuardOptions,
  createAddressGuard,
  type OwnableUpstream,
  type Upstream,
} from "../upstreams/index.ts";
import { OperatorError } from "./operator-error.ts";

/** What all servers' identities have in common. */
export interface Identities {
  /** Ends what a user obtained for servers. */
  forget(user: User): Promise<void>;
  open(id: string, url: string, config: IdentityConfig | undefined): OpenedIdentity;
}

/** The identity of the users of one server. */
export interface OpenedIdentity {
  /** For the connection to the server. */
  readonly options: Pick<HttpUpstreamOptions, "identity">;
  /** Adds a token in the process that talks to the server. */
  inside(upstream: OwnableUpstream): OwnableUpstream;
  /** Adds a token in the process that the user called. */
  outside(upstream: Upstream): Upstream;
}

/** The parts that identities need. */
export interface IdentitiesOptions {
  /** The gateway's public address. */
  issuer: string | undefined;
  signing: SigningKeys | undefined;
  engine: Engine;
  proxy?: AddressGuardOptions["proxy"];
}

/** The server learns nothing about users. */
export const NO_IDENTITY: OpenedIdentity = {
  options: {},
  inside: (upstream) => upstream,
  outside: (upstream) => upstream,
};

/** Creates the identities of a gateway. */
export function createIdentities({
  issuer,
  signing,
  engine,
  proxy,
}: IdentitiesOptions): Identities {
  const exchanges = new Set<TokenExchange>();
  const requestsOf = (url: string, config: IdentityConfig): TokenRequests => {
    const { tokenEndpoint = "", clientId = "", clientSecret = "", audience, scopes } = config;
    const { hostname, port, protocol } = new URL(tokenEndpoint);
    // The operator chose the address, so it may be in a private network.
    const exempt = [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`];
    const guard = createAddressGuard({ exempt, proxy });
    return createTokenRequests({
      ...{ tokenEndpoint, clientId, clientSecret, audience, scopes, guard, resource: url },
    });
  };
  return {
    forget: async (user) => {
      await Promise.all([...exchanges].map((exchange) => exchange.forget(user)));
    },
    open: (id, url, config) => {
      if (!config) return NO_IDENTITY;
      if (config.kind === "assertion") {
        if (!signing || issuer === undefined) {
          throw new OperatorError("server", `servers.${id}.identity: signing.key is missing.`);
        }
        const { audience = url, header } = config;
        const identity = createAssertions({ issuer, audience, header, keys: signing });
        return { ...NO_IDENTITY, options: { identity } };
      }
      const requests = requestsOf(url, config);
      if (config.kind === "client-credentials") {
        const source = createServiceToken(requests);
        return { ...NO_IDENTITY, inside: (upstream) => new ServiceTokenUpstream(upstream, source) };
      }
      const { tokenEndpoint, audience, scopes } = config;
      const target = JSON.stringify([url, tokenEndpoint, audience, scopes]);
      const exchange = createTokenExchange(requests, { id, target, engine });
      exchanges.add(exchange);
      const source = {
        ...exchange,
        close: () => {
          exchanges.delete(exchange);
          return exchange.close();
        },
      };
      return { ...NO_IDENTITY, outside: (upstream) => new TokenUpstream(upstream, source) };
    },
  };
}
