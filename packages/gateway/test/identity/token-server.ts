// A real authorization server (oidc-provider) on loopback, with client credentials and a token exchange.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
// @ts-expect-error It has no types.
import { errors, Provider } from "oidc-provider";

export const CLIENT = "the-gateway";
export const CLIENT_SECRET = "a secret of the gateway at its authorization server";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The authorization server. */
export interface TokenServer extends AsyncDisposable {
  readonly issuer: string;
  /** The users whose tokens were exchanged, and the clients that got a token of their own. */
  readonly exchanges: string[];
  readonly services: string[];
  /** A user whose token isn't accepted. */
  refuses: string;
  /** Checks an access token, as a server does. */
  verify(token: string, audience: string): Promise<JWTPayload>;
}

/** Starts it. It accepts subject tokens of one other issuer. */
export async function startTokenServer({ trusts }: { trusts: string }): Promise<TokenServer> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const subjects = createRemoteJWKSet(new URL(`${trusts}/jwks`));
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const self: TokenServer = {
    issuer,
    exchanges: [],
    services: [],
    refuses: "",
    verify: async (token, audience) =>
      (await jwtVerify(token, keys, { issuer, audience, typ: "at+jwt" })).payload,
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
    },
  };
  const infoOf = (resource: string) => ({
    ...{ scope: "read write", audience: resource, accessTokenFormat: "jwt" },
    ...{ accessTokenTTL: 3600, jwt: { sign: { alg: "RS256" } } },
  });
  const provider = new Provider(issuer, {
    scopes: ["read", "write"],
    clients: [
      {
        ...{ client_id: CLIENT, client_secret: CLIENT_SECRET, redirect_uris: [] },
        ...{ response_types: [], grant_types: ["client_credentials", EXCHANGE] },
      },
    ],
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id }),
    }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => infoOf(resource),
      },
    },
  });
  provider.on("client_credentials.issued", ({ clientId }: { clientId: string }) => {
    self.services.push(clientId);
  });
  provider.registerGrantType(
    EXCHANGE,
    // biome-ignore lint/suspicious/noExplicitAny: The library has no types.
    async (context: any) => {
      const { client, params } = context.oidc;
      const { payload } = await jwtVerify(params.subject_token, subjects, { issuer: trusts });
      if (payload.sub === self.refuses) throw new errors.InvalidGrant("refused");
      const token = new provider.AccessToken({
        ...{ client, accountId: payload.sub, scope: params.scope, gty: "token_exchange" },
      });
      token.resourceServer = new provider.ResourceServer(params.resource, infoOf(params.resource));
      context.body = {
        ...{ access_token: await token.save(), issued_token_type: params.requested_token_type },
        ...{ token_type: "Bearer", expires_in: 3600, scope: params.scope },
      };
      self.exchanges.push(`${payload.sub}`);
    },
    ["subject_token", "subject_token_type", "requested_token_type", "resource", "scope"],
    [],
  );
  server.on("request", provider.callback());
  return self;
}
