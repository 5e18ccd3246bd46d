import { setTimeout as sleep } from "node:timers/promises";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { Authorities, OAuthServer } from "./authority.ts";
import type { OAuthClients } from "./oauth-clients.ts";
import type { TokenRecord } from "./token-store.ts";

/** Revokes tokens at an authorization server (RFC 7009). */
export interface Revocation {
  /** Best effort and time-limited. Resolves to whether the authorization server accepted it. */
  revoke(server: OAuthServer, record: TokenRecord): Promise<boolean>;
}

const DEADLINE = 3000;

/** Creates the revocation of tokens. */
export function createRevocation(options: {
  authorities: Authorities;
  clients: OAuthClients;
}): Revocation {
  const revokeAll = async (server: OAuthServer, record: TokenRecord): Promise<boolean> => {
    const { issuer, refreshToken, accessToken } = record;
    const metadata = await options.authorities.byIssuer(issuer, server);
    const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } =
      metadata as {
        revocation_endpoint?: unknown;
        revocation_endpoint_auth_methods_supported?: unknown;
      };
    if (typeof endpoint !== "string") return false;
    const client = await options.clients.at(server, { issuer, metadata });
    const isBasic = !Array.isArray(methods) || methods.includes("client_secret_basic");
    const post = async (token: string, hint: string): Promise<boolean> => {
      const form = new URLSearchParams({ token, token_type_hint: hint });
      const headers = authenticate(client, form, isBasic);
      const { ok } = await server.fetch(endpoint, { method: "POST", headers, body: `${form}` });
      return ok;
    };
    // Revoke the longer-lived token first; the authorization server may revoke both with it.
    const isRefreshRevoked =
      refreshToken === undefined || (await post(refreshToken, "refresh_token"));
    return (await post(accessToken, "access_token")) && isRefreshRevoked;
  };

  return {
    revoke: async (server, record) => {
      const late = sleep(DEADLINE, false, { ref: false });
      const revoking = revokeAll(server, record).catch(() => false);
      return Promise.race([revoking, late]);
    },
  };
}

function authenticate(
  client: OAuthClientInformationMixed,
  form: URLSearchParams,
  isBasic: boolean,
): Record<string, string> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const { client_id: id, client_secret: secret } = client;
  if (secret !== undefined && isBasic) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    return { ...type, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  }
  form.set("client_id", id);
  if (secret !== undefined) form.set("client_secret", secret);
  return type;
}
