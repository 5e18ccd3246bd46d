// The gateway as an OAuth resource server (RFC 9728): the address of each server is a protected resource. A
// client that knows only the address finds its authorization server and its scopes from here.

import { type Refusal, refuse } from "../errors/refusal.ts";
import type { AuthenticatedUser } from "./user-token.ts";

/** The options of `createProtectedResources`. */
export interface ProtectedResourcesOptions {
  /** The gateway's address as clients see it, without a trailing slash. */
  publicUrl: string;
  /** The issuers, the preferred one first; official clients use only the first. */
  issuers: readonly string[];
  /** Scopes that every token needs. */
  scopes?: readonly string[] | undefined;
  /** Settings of one server that differ. Undefined for a server that doesn't exist. */
  server?(id: string): ResourceSettings | undefined;
  /** The ids of all servers. */
  servers?(): Iterable<string>;
}

/** The tokens that one server accepts. */
export interface ResourceSettings {
  /** Its issuers, of the gateway's. */
  issuers?: readonly string[] | undefined;
  /** Scopes that a token for it needs in addition. */
  scopes?: readonly string[] | undefined;
}

/** RFC 9728 section 2. */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: readonly string[];
  scopes_supported: readonly string[];
  bearer_methods_supported: readonly string[];
}

/** The protected resources. */
export interface ProtectedResources {
  /**
   * The addresses that a token for a server may have been issued for. A host's page that uses the combined
   * endpoint has a token for that, and opens views of single servers with it.
   */
  accepted(server: string, options?: { isPageRoute?: boolean | undefined }): readonly string[];
  /** Why the owner of a valid token can't use a server. */
  check(user: Pick<AuthenticatedUser, "issuer" | "scopes">, server: string): Refusal | undefined;
  /** Whether a server accepts the issuer of a user. */
  acceptsIssuer(issuer: string | undefined, server: string): boolean;
  metadata(server: string): ResourceMetadata;
  /** The value of WWW-Authenticate for a refused request. `also` are further scopes to ask for. */
  challenge(
    server: string,
    error?: "invalid_token" | "insufficient_scope",
    also?: readonly string[],
  ): string;
  /**
   * The scopes to ask for after a call at the combined endpoint: those of the server, and those that the token
   * has for other servers, because not every client keeps them.
   */
  scopesFor(server: string, granted?: readonly string[]): readonly string[];
}

/** The path of a server's metadata, inserted before the path of the server. */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** The id of the endpoint that combines all servers. No server can have it. */
export const COMBINED = "*";

/** Creates the protected resources. */
export function createProtectedResources(options: ProtectedResourcesOptions): ProtectedResources {
  const { publicUrl, issuers, scopes = [] } = options;
  // The metadata is public, so an unknown server looks like any other.
  const settingsOf = (id: string): ResourceSettings => options.server?.(id) ?? {};
  /** The list of servers has no server. */
  const pathOf = (id: string): string => {
    if (id === COMBINED) return "/mcp";
    return id === "" ? "/servers" : `/servers/${encodeURIComponent(id)}/mcp`;
  };
  const scopesOf = (id: string): string[] => [
    ...new Set([...scopes, ...(settingsOf(id).scopes ?? [])]),
  ];
  /** The well-known path is inserted between the host and the path of the public address. */
  const metadataOf = (id: string): string => {
    const { origin, pathname } = new URL(`${publicUrl}${pathOf(id)}`);
    return `${origin}${METADATA_PATH}${pathname}`;
  };
  const issuersOf = (id: string): readonly string[] => settingsOf(id).issuers ?? issuers;

  const acceptsIssuer: ProtectedResources["acceptsIssuer"] = (issuer, id) =>
    issuer === undefined || issuersOf(id).includes(issuer);

  return {
    accepted: (id, { isPageRoute = false } = {}) =>
      (isPageRoute ? [id, COMBINED] : [id]).map((one) => `${publicUrl}${pathOf(one)}`),
    acceptsIssuer,
    scopesFor: (id, granted = []) => {
      const known = new Set([...(options.servers?.() ?? [])].flatMap(scopesOf));
      return [...new Set([...scopesOf(id), ...granted.filter((scope) => known.has(scope))])];
    },
    check: ({ issuer, scopes: granted }, id) => {
      if (!acceptsIssuer(issuer, id)) {
        const message =
          "Users of your identity provider may not use this server. Ask the operator.";
        return refuse("unauthenticated", message);
      }
      const missing = scopesOf(id).filter((scope) => !granted?.includes(scope));
      if (granted === undefined || missing.length === 0) return undefined;
      const message = `The token doesn't have the scope ${missing.join(" ")}. Log in again with it.`;
      return refuse("insufficient-scope", message);
    },
    metadata: (id) => ({
      resource: `${publicUrl}${pathOf(id)}`,
      authorization_servers: issuersOf(id),
      scopes_supported: scopesOf(id),
      bearer_methods_supported: ["header"],
    }),
    challenge: (id, error, also = []) => {
      const needed = [...new Set([...scopesOf(id), ...also])];
      const parts = [
        ...(error ? [`error="${error}"`] : []),
        `resource_metadata="${metadataOf(id)}"`,
        ...(needed.length > 0 ? [`scope="${needed.join(" ")}"`] : []),
      ];
      return `Bearer ${parts.join(", ")}`;
    },
  };
}
