// Lets only requests with a valid access token reach an MCP server (RFC 6750), and tells clients where
// to log in (RFC 9728). Works with `fetch` handlers and with Node's servers.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Auth, AuthInfo } from "./auth.ts";
import {
  checkSafe,
  createTokenVerifier,
  KeysUnavailable,
  type VerifiedToken,
  type VerifyToken,
} from "./token-verifier.ts";

/** Options of `requireAuth`. */
export interface RequireAuthOptions {
  /** The address of the MCP server, exactly as users type it. */
  resource: string | URL;
  /** The issuers whose tokens are accepted, exactly as in their metadata. Clients use the first. */
  issuers: readonly string[];
  /** The scopes that every token needs. */
  scopes?: readonly string[];
  /** Values of `aud` to accept instead of the resource, for issuers that can't put it there. */
  audience?: string | readonly string[];
  /** Checks tokens that aren't JWTs. By default JWTs are checked with the issuer's keys. */
  verify?: VerifyToken;
}

/** The guard in front of a server. */
export interface AuthGuard {
  /** For `fetch` handlers: the user, or the response to send instead. */
  check(request: Request): Promise<AuthInfo | Response>;
  /** For Node: true if the request may continue, with `request.auth` set; otherwise it is answered. */
  checkNode(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;
const LONGEST_TOKEN = 16 * 1024;
const INVALID = "The token isn't valid for this server";
const LACKING = "The token lacks a scope";

type Unchecked = "invalid" | "unavailable";

/** Creates the guard. Throws at once if an option can't work. */
export function requireAuth(options: RequireAuthOptions): AuthGuard {
  const resource = new URL(options.resource);
  checkSafe(resource);
  if (options.issuers.length === 0) throw new TypeError("`issuers` is empty. Name at least one.");
  for (const issuer of options.issuers) checkSafe(new URL(issuer));
  const { scopes = [], issuers } = options;
  const name = typeof options.resource === "string" ? options.resource : resource.href;
  const audience = [options.audience ?? name].flat();
  const verify = options.verify ?? createTokenVerifier(issuers, { audience });
  const path = `${WELL_KNOWN}${resource.pathname === "/" ? "" : resource.pathname}`;
  const metadata = {
    resource: name,
    authorization_servers: [...issuers],
    bearer_methods_supported: ["header"],
    ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
  };
  const metadataUrl = `${resource.origin}${path}`;
  const challenge = (error?: string, description?: string): Record<string, string> => {
    const parts = [
      ...(error ? [`error="${error}"`, `error_description="${description}"`] : []),
      `resource_metadata="${metadataUrl}"`,
      ...(scopes.length > 0 ? [`scope="${scopes.join(" ")}"`] : []),
    ];
    return { "www-authenticate": `Bearer ${parts.join(", ")}` };
  };

  const isValid = (found: VerifiedToken | undefined): found is VerifiedToken =>
    found !== undefined &&
    typeof found.subject === "string" &&
    found.subject !== "" &&
    issuers.includes(found.issuer) &&
    found.expires > Date.now() / 1000 - 5 &&
    [found.audience].flat().some((one) => audience.includes(one));

  const read = async (header: string): Promise<VerifiedToken | Unchecked> => {
    const [, token] = BEARER.exec(header) ?? [];
    if (token === undefined || token.length > LONGEST_TOKEN) return "invalid";
    try {
      const found = await verify(token);
      return isValid(found) ? found : "invalid";
    } catch (error) {
      return error instanceof KeysUnavailable ? "unavailable" : "invalid";
    }
  };

  const decide = async (given: {
    method: string;
    path: string;
    header: string | null;
  }): Promise<AuthInfo | Response> => {
    if (given.path === path) return metadataResponse(given.method, metadata);
    if (given.header === null) return failure(401, challenge(), "Log in to use this server.");
    const found = await read(given.header);
    // The reason isn't sent: it helps only those who forge tokens.
    if (found === "invalid")
      return failure(401, challenge("invalid_token", INVALID), `${INVALID}.`);
    if (found === "unavailable")
      return failure(503, { "retry-after": "10" }, "Tokens can't be checked at the moment.");
    if (!scopes.every((scope) => found.scopes.includes(scope)))
      return failure(403, challenge("insufficient_scope", LACKING), `${LACKING}.`);
    const token = BEARER.exec(given.header)?.[1] ?? "";
    return authInfoOf(token, found, { resource, metadataUrl });
  };

  return {
    check: ({ method, url, headers }) =>
      decide({ method, path: new URL(url).pathname, header: headers.get("authorization") }),
    checkNode: async (request, response) => {
      const { method = "GET", url = "/", headers } = request;
      const answer = await decide({
        method,
        // Not parsed as a URL: a target such as `//` would throw.
        path: url.split("?")[0] ?? "/",
        header: headers.authorization ?? null,
      });
      if (!(answer instanceof Response)) {
        // Where the official adapter for Node reads it.
        (request as IncomingMessage & { auth?: AuthInfo }).auth = answer;
        return true;
      }
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
      return false;
    },
  };
}

function authInfoOf(
  token: string,
  { subject, issuer, clientId = "", scopes, expires, claims }: VerifiedToken,
  { resource, metadataUrl }: { resource: URL; metadataUrl: string },
): AuthInfo {
  const auth: Auth = { subject, issuer, clientId, scopes: [...scopes], claims: { ...claims } };
  return {
    token,
    clientId,
    scopes: [...scopes],
    expiresAt: expires,
    resource,
    resourceMetadataUrl: metadataUrl,
    extra: { auth },
  };
}

/** Public, because clients read it before the log-in, also from a web page. */
function metadataResponse(method: string, metadata: object): Response {
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD, OPTIONS",
    "access-control-allow-headers": "mcp-protocol-version",
  };
  if (method === "OPTIONS") return new Response(null, { status: 204, headers });
  if (method === "GET" || method === "HEAD")
    return Response.json(metadata, { headers: { ...headers, "cache-control": "max-age=300" } });
  return new Response(null, { status: 405, headers: { ...headers, allow: "GET, HEAD, OPTIONS" } });
}

function failure(status: number, headers: Record<string, string>, message: string): Response {
  return Response.json(
    { error: message },
    {
      status,
      headers: {
        ...headers,
        "cache-control": "no-store",
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "www-authenticate",
      },
    },
  );
}
