// Who gives out tokens for a server, and whether we may ask them. All of it is the server's word, and
// none of it is believed further than it can be checked.

import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import type { OAuthConfig } from "../../config/config.ts";
import type { AddressGuard } from "../../upstreams/address-guard.ts";
import { CredentialError } from "./errors.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";

/** Loaded when a user first logs in: nothing else needs the official SDK. */
export const sdk = (): Promise<typeof import("@modelcontextprotocol/client")> =>
  import("@modelcontextprotocol/client");

/** A server that users log in to, and how what it points to is reached. */
export interface OAuthServer {
  readonly id: string;
  readonly url: string;
  readonly oauth: OAuthConfig;
  readonly guard: AddressGuard;
  readonly fetch: GuardedFetch;
  close(): Promise<void>;
}

/** What is reached for one server is reached for no other: an exemption is its own. */
export function createOAuthServer(
  of: Pick<OAuthServer, "id" | "url" | "oauth" | "guard">,
): OAuthServer {
  return { ...of, ...createGuardedFetch(of.guard) };
}

/** An authorization server that was found fit. */
export interface Authority {
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** What tokens are for; goes with every request (RFC 8707). */
  resource: string;
  /** What the server says one may ask for. */
  scopes: readonly string[];
}

/** Finds authorities. */
export interface Authorities {
  /** The one that a server names. */
  find(server: OAuthServer, metadataUrl?: URL): Promise<Authority>;
  /** The one that gave out a token. */
  byIssuer(issuer: string, server: OAuthServer): Promise<AuthorizationServerMetadata>;
}

const REMEMBERED = 10 * 60_000;
/** Short: a server that names another authorization server should be asked again soon. */
const FOUND_TIME = 60_000;
const FAILED_TIME = 5000;
const MOST_KNOWN = 1000;

/** Looks them up, and remembers for a while. */
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
      const message = `"${server.id}" names another authorization server than oauth.issuer.`;
      throw new CredentialError("issuer", message);
    }
    const resource = await resourceOf(server, info.resourceMetadata);
    return { issuer, metadata, resource, scopes: info.resourceMetadata?.scopes_supported ?? [] };
  };

  return {
    // Many who log in at once share one discovery, and a failed one isn't repeated for each of them.
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

/** Addresses that a browser or we are sent to, and what must be offered there. */
function checkMetadata(
  metadata: AuthorizationServerMetadata | undefined,
  issuer: string,
  { id, guard, oauth }: OAuthServer,
): AuthorizationServerMetadata {
  if (!metadata) {
    throw new CredentialError("incompatible", `${issuer} does not say what it is (RFC 8414).`);
  }
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const address of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (address === undefined) continue;
    try {
      // Also the one that only the user's browser opens: `javascript:` would run in whoever opens it (G134).
      guard.check(new URL(address));
    } catch (cause) {
      const message = `An address of ${issuer} is not https: it is not used.`;
      throw new CredentialError("insecure", message, { cause });
    }
  }
  // Mix-up: a hostile server may name an honest authorization endpoint and a token endpoint of its own. An
  // answer that names its issuer shows that; without one, both endpoints must be the issuer's.
  const isHome = [authorization_endpoint, token_endpoint].every((address) =>
    isOfOrigin(address, metadata.issuer),
  );
  if (oauth.issuer === undefined && !doesNameItself(metadata) && !isHome) {
    const message = `${issuer} has endpoints on another origin and doesn't name itself in its answers (RFC 9207); set oauth.issuer of "${id}" if you trust it.`;
    throw new CredentialError("incompatible", message);
  }
  // Spec: without a word about PKCE the client must refuse.
  if (!metadata.code_challenge_methods_supported?.includes("S256")) {
    throw new CredentialError("incompatible", `${issuer} does not offer PKCE with S256.`);
  }
  return metadata;
}

/** Whether an authorization server promises `iss` in its answers (RFC 9207), so that one without is refused. */
export function doesNameItself(metadata: AuthorizationServerMetadata): boolean {
  const { authorization_response_iss_parameter_supported: does } = metadata as {
    authorization_response_iss_parameter_supported?: unknown;
  };
  return does === true;
}

function isOfOrigin(address: string | undefined, issuer: string): boolean {
  return address === undefined || new URL(address).origin === new URL(issuer).origin;
}

/** A token is asked for this server's address and for no other (G134: wrong audience). */
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
    const message = `"${server.id}" describes another resource than its address.`;
    throw new CredentialError("resource", message);
  }
  // As it was written: an authorization server may compare letter by letter.
  return metadata.resource;
}

const PASSING: ReadonlySet<string> = new Set([
  "server_error",
  "temporarily_unavailable",
  "too_many_requests",
]);

/** What went wrong, without a word of what was sent or answered. */
export function asCredentialError(cause: unknown, who: string): CredentialError {
  if (cause instanceof CredentialError) return cause;
  const { name, code } = Object(cause) as { name?: string; code?: string };
  if (name === "IssuerMismatchError") {
    return new CredentialError("issuer", `The issuer is not the one that was asked (${who}).`);
  }
  if (code === "refused-address" || name === "InsecureTokenEndpointError") {
    return new CredentialError("insecure", `${who} points to an address that may not be called.`);
  }
  if (name === "RegistrationRejectedError") {
    return new CredentialError("incompatible", `${who} does not register clients; set a clientId.`);
  }
  // A failing authorization server hasn't said no: the user stays logged in.
  if (name === "OAuthError" && !PASSING.has(`${code}`)) {
    const shown = /^[a-z_]{1,40}$/.test(`${code}`) ? ` (${code})` : "";
    return new CredentialError("denied", `The authorization server said no${shown}.`);
  }
  return new CredentialError("unavailable", `The log-in at ${who} cannot be reached or read.`);
}
