// Finds the authorization server of an MCP server and checks whether we may use it. The server supplies all
// of this data, so nothing is trusted without a check.

import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import type { OAuthConfig } from "../../config/config.ts";
import type { AddressGuard } from "../../upstreams/address-guard.ts";
import { CredentialError } from "./credential-error.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";

/** Loaded at the first login, because nothing else needs the official SDK. */
export const sdk = (): Promise<typeof import("@modelcontextprotocol/client")> =>
  import("@modelcontextprotocol/client");

/** A server that users log in to, with the fetch function for its authorization server. */
export interface OAuthServer {
  readonly id: string;
  readonly url: string;
  readonly oauth: OAuthConfig;
  readonly guard: AddressGuard;
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
}

/** Each server has its own fetch function, so that an address exemption applies to one server only. */
export function createOAuthServer(
  of: Pick<OAuthServer, "id" | "url" | "oauth" | "guard">,
): OAuthServer {
  return { ...of, ...createGuardedFetch(of.guard) };
}

/** A validated authorization server. */
export interface Authority {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** The resource that tokens are for. Sent with every request (RFC 8707). */
  resource: string;
  /** The scopes that the server advertises. */
  scopes: readonly string[];
}

/** Finds authorization servers. */
export interface Authorities {
  /** The authorization server that a server names. */
  find(server: OAuthServer, metadataUrl?: URL): Promise<Authority>;
  /** The authorization server that issued a token. */
  byIssuer(issuer: string, server: OAuthServer): Promise<AuthorizationServerMetadata>;
}

const REMEMBERED = 10 * 60_000;
/** Short, so that a server that switches to another authorization server is noticed soon. */
const FOUND_TIME = 60_000;
const FAILED_TIME = 5000;
const MOST_KNOWN = 1000;

/** Discovers authorization servers and caches them for a short time. */
export function createAuthorities(clock: () => number = Date.now): Authorities {
  const known = new Map<string, { metadata: AuthorizationServerMetadata; until: number }>();

  const found = new Map<string, { finding: Promise<Authority>; until: number }>();
  const discover = async (
    server: OAuthServer,
    metadataUrl: URL | undefined,
  ): Promise<Authority> => {
    const { discoverOAuthServerInfo } = await sdk();
    const info = await discoverOAuthServerInfo(server.url, {
      fetchFn: server.fetch,
      ...(metadataUrl && { resourceMetadataUrl: metadataUrl }),
    }).catch((cause: unknown) => {
      throw asCredentialError(cause, server.id);
    });
    const { authorizationServerMetadata, authorizationServerUrl } = info;
    const metadata = checkMetadata(authorizationServerMetadata, authorizationServerUrl, server);
    const { issuer } = metadata;
    if (server.oauth.issuer !== undefined && server.oauth.issuer !== issuer) {
      const message = `"${server.id}" names a different authorization server than oauth.issuer.`;
      throw new CredentialError("issuer", message);
    }
    const resource = await resourceOf(server, info.resourceMetadata);
    return { issuer, metadata, resource, scopes: info.resourceMetadata?.scopes_supported ?? [] };
  };

  return {
    // Concurrent logins share one discovery, and a failed discovery isn't repeated for each of them.
    find: (server, metadataUrl) => {
      const key = JSON.stringify([server.id, server.url, server.oauth.issuer, metadataUrl?.href]);
      const before = found.get(key);
      if (before && before.until > clock()) return before.finding;
      const entry = { finding: discover(server, metadataUrl), until: clock() + FOUND_TIME };
      entry.finding.catch(() => {
        entry.until = clock() + FAILED_TIME;
      });
      if (found.size >= MOST_KNOWN) found.clear();
      found.set(key, entry);
      return entry.finding;
    },
    byIssuer: async (issuer, server) => {
      const key = JSON.stringify([server.id, issuer]);
      const before = known.get(key);
      if (before && before.until > clock()) return before.metadata;
      const { discoverAuthorizationServerMetadata } = await sdk();
      const { fetch: fetchFn } = server;
      const found = await discoverAuthorizationServerMetadata(issuer, { fetchFn }).catch(
        (cause: unknown) => {
          throw asCredentialError(cause, issuer);
        },
      );
      const metadata = checkMetadata(found, issuer, server);
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(key, { metadata, until: clock() + REMEMBERED });
      return metadata;
    },
  };
}

/** Checks the addresses in the metadata and the features that they must offer. */
function checkMetadata(
  metadata: AuthorizationServerMetadata | undefined,
  issuer: string,
  { id, guard, oauth }: OAuthServer,
): AuthorizationServerMetadata {
  if (!metadata) {
    throw new CredentialError(
      "incompatible",
      `${issuer} doesn't publish authorization server metadata (RFC 8414).`,
    );
  }
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const address of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (address === undefined) continue;
    try {
      // Also the address that only the user's browser opens: `javascript:` would run in that browser (G134).
      guard.check(new URL(address));
    } catch (cause) {
      const message = `An address of ${issuer} isn't https, so it isn't used.`;
      throw new CredentialError("insecure", message, { cause });
    }
  }
  // Mix-up attack: a hostile server may combine an honest authorization endpoint with its own token endpoint.
  // A response with `iss` exposes that. Without `iss`, both endpoints must be on the issuer's origin.
  const isHome = [authorization_endpoint, token_endpoint].every((address) =>
    isOfOrigin(address, metadata.issuer),
  );
  if (oauth.issuer === undefined && !sendsIssuer(metadata) && !isHome) {
    const message = `${issuer} has endpoints on another origin and doesn't send iss in its responses (RFC 9207). Set oauth.issuer of "${id}" if you trust it.`;
    throw new CredentialError("incompatible", message);
  }
  // The specification requires refusal if the metadata don't mention PKCE.
  if (!metadata.code_challenge_methods_supported?.includes("S256")) {
    throw new CredentialError("incompatible", `${issuer} doesn't support PKCE with S256.`);
  }
  return metadata;
}

/**
 * Whether an authorization server announces `iss` in its responses (RFC 9207). A response without it is then
 * rejected.
 */
export function sendsIssuer(metadata: AuthorizationServerMetadata): boolean {
  const { authorization_response_iss_parameter_supported: does } = metadata as {
    authorization_response_iss_parameter_supported?: unknown;
  };
  return does === true;
}

function isOfOrigin(address: string | undefined, issuer: string): boolean {
  return address === undefined || new URL(address).origin === new URL(issuer).origin;
}

/** Requests a token for this server's address only (G134: wrong audience). */
async function resourceOf(
  server: OAuthServer,
  metadata: OAuthProtectedResourceMetadata | undefined,
): Promise<string> {
  const { checkResourceAllowed, resourceUrlFromServerUrl } = await sdk();
  const own = resourceUrlFromServerUrl(server.url);
  if (!metadata) return own.href;
  const isOurs =
    URL.canParse(metadata.resource) &&
    checkResourceAllowed({ requestedResource: own, configuredResource: metadata.resource });
  if (!isOurs) {
    const message = `"${server.id}" describes a resource that doesn't match its address.`;
    throw new CredentialError("resource", message);
  }
  // Unchanged, because an authorization server may compare the exact text.
  return metadata.resource;
}

const PASSING: ReadonlySet<string> = new Set([
  "server_error",
  "temporarily_unavailable",
  "too_many_requests",
]);

/** Converts an error without repeating anything that was sent or received. */
export function asCredentialError(cause: unknown, who: string): CredentialError {
  if (cause instanceof CredentialError) return cause;
  const { name, code } = Object(cause) as { name?: string; code?: string };
  if (name === "IssuerMismatchError") {
    return new CredentialError(
      "issuer",
      `The response names a different issuer than expected (${who}).`,
    );
  }
  if (code === "refused-address" || name === "InsecureTokenEndpointError") {
    return new CredentialError(
      "insecure",
      `${who} points to an address that the gateway may not call.`,
    );
  }
  if (name === "RegistrationRejectedError") {
    return new CredentialError("incompatible", `${who} doesn't register clients. Set a clientId.`);
  }
  // A failing authorization server hasn't denied anything, so the user stays logged in.
  if (name === "OAuthError" && !PASSING.has(`${code}`)) {
    const shown = /^[a-z_]{1,40}$/.test(`${code}`) ? ` (${code})` : "";
    return new CredentialError("denied", `The authorization server denied the login${shown}.`);
  }
  return new CredentialError(
    "unavailable",
    `The authorization server of ${who} is unreachable or sent an invalid response.`,
  );
}
