// Asks a token endpoint that the operator configured for an access token.

import { type AddressGuard, createAddressGuard } from "../../upstreams/address-guard.ts";
import { UpstreamError } from "../../upstreams/upstream.ts";
import { createGuardedFetch } from "../credentials/guarded-fetch.ts";

/** A token endpoint, and who the gateway is there. */
export interface TokenEndpoint {
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
  /** The address of the server, by default (RFC 8707). */
  resource: string;
  /** The name of the server at the authorization server, for those that don't support resources. */
  audience?: string | undefined;
  scopes?: readonly string[] | undefined;
  /** Reaches the endpoint. By default its own address, also in a private network, because the operator chose it. */
  guard?: AddressGuard | undefined;
}

/** A token for a server. */
export interface ServerToken {
  token: string;
  /** Milliseconds since 1970. */
  expires: number;
}

/** Requests tokens. */
export interface TokenRequests {
  /** Rejects with an `UpstreamError`: `unauthorized` if the grant isn't accepted, otherwise `unreachable`. */
  request(grant: Readonly<Record<string, string>>): Promise<ServerToken>;
  close(): Promise<void>;
}

const LONGEST = 16 * 1024;
const TOKEN = /^[\w~+/.=-]+$/;
/** For an endpoint that doesn't state how long its token is valid. */
const UNKNOWN_LIFETIME = 300;
const LONGEST_LIFETIME = 24 * 3600;

/** Creates the requests to one endpoint. */
export function createTokenRequests(endpoint: TokenEndpoint): TokenRequests {
  const { tokenEndpoint, clientId, clientSecret, resource, audience, scopes = [] } = endpoint;
  const { fetch, close } = createGuardedFetch(endpoint.guard ?? guardOf(tokenEndpoint));
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    request: async (grant) => {
      const body = new URLSearchParams({
        ...grant,
        ...(audience === undefined ? { resource } : { audience }),
        ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      });
      const headers = {
        ...{ authorization, accept: "application/json" },
        "content-type": "application/x-www-form-urlencoded",
      };
      const before = Date.now();
      const response = await fetch(tokenEndpoint, {
        ...{ method: "POST", headers, body: body.toString() },
      }).catch((cause: unknown) => {
        throw failure("unreachable", `${new URL(tokenEndpoint).host} can't be reached.`, cause);
      });
      const answer = (await response.json().catch(() => undefined)) as unknown;
      return readToken(response.status, Object(answer), before);
    },
    close,
  };
}

function readToken(status: number, answer: Record<string, unknown>, at: number): ServerToken {
  if (status !== 200) {
    const isRejected = answer.error === "invalid_grant" || answer.error === "invalid_token";
    const reason = typeof answer.error === "string" ? answer.error.slice(0, 100) : "";
    const message = `The token endpoint answered ${status} ${reason}`.trim();
    throw failure(isRejected ? "unauthorized" : "unreachable", `${message}.`);
  }
  const { access_token: token, token_type: type, expires_in: lifetime } = answer;
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  if (typeof token !== "string" || token.length > LONGEST || !TOKEN.test(token) || !isBearer) {
    throw failure("unreachable", "The token endpoint's response isn't a bearer token.");
  }
  const isKnown = typeof lifetime === "number" && lifetime >= 0;
  const seconds = isKnown ? Math.min(lifetime, LONGEST_LIFETIME) : UNKNOWN_LIFETIME;
  return { token, expires: at + seconds * 1000 };
}

function failure(
  code: "unauthorized" | "unreachable",
  message: string,
  cause?: unknown,
): UpstreamError {
  return new UpstreamError(code, message, { sent: false, cause });
}

function guardOf(address: string): AddressGuard {
  const { hostname, port, protocol } = new URL(address);
  return createAddressGuard({
    exempt: [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`],
  });
}
