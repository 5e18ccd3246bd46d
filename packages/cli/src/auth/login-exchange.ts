// Explains the requests of a log-in for people: what each response contained, and what is wrong with
// it. Only named fields are shown, because responses contain secrets.

import { checkResourceAllowed, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { LoginStep, LoginStepKind } from "./login-step.ts";

/** A request of a log-in and its response. */
export interface LoginExchange {
  readonly method: string;
  readonly url: URL;
  readonly body?: URLSearchParams | string | undefined;
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  /** The text of the response. */
  readonly text?: string | undefined;
  /** Why there was no response. */
  readonly failure?: string | undefined;
}

type Fields = Record<string, unknown>;
type Found = [label: string, text: string][];

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";
const ISSUER_METADATA = /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/;

/** The step that an exchange belongs to; `server` is the address of the MCP server. */
export function explainExchange(exchange: LoginExchange, server: URL): LoginStep {
  const kind = kindOf(exchange, server);
  const fields = fieldsOf(exchange.text);
  const found: Found = [];
  const problems: string[] = [];
  if (exchange.failure !== undefined) problems.push(`There was no response: ${exchange.failure}.`);
  else if (kind === "challenge") explainChallenge(exchange, { server, found, problems });
  else if ((exchange.status ?? 0) >= 400)
    explainRejection(exchange, { kind, fields, found, problems });
  else EXPLAIN[kind]?.({ exchange, server, fields, found, problems });
  return {
    kind,
    at: Date.now(),
    request: `${exchange.method} ${withoutQuery(exchange.url)}`,
    ...(exchange.status !== undefined && { status: exchange.status }),
    found,
    problems,
  };
}

function kindOf({ method, url, body }: LoginExchange, server: URL): LoginStepKind {
  if (url.href === server.href) return "challenge";
  if (url.pathname.includes(RESOURCE_METADATA)) return "resource-metadata";
  if (ISSUER_METADATA.test(url.pathname)) return "issuer-metadata";
  // A server may keep its metadata at any address.
  if (method === "GET") return "resource-metadata";
  if (!(body instanceof URLSearchParams)) return "registration";
  return body.get("grant_type") === "refresh_token" ? "refresh" : "token";
}

function explainChallenge(
  { status, headers = new Headers() }: LoginExchange,
  { server, found, problems }: { server: URL; found: Found; problems: string[] },
): void {
  const header = headers.get("www-authenticate");
  if (header === null) {
    if (status === 401)
      problems.push(
        'The response has no WWW-Authenticate header. Send `WWW-Authenticate: Bearer resource_metadata="…"`, so that clients find where to log in.',
      );
    return;
  }
  const scheme = header.trim().split(/\s/)[0] ?? "";
  found.push(["Scheme", scheme]);
  if (!/^(?:bearer|dpop)$/i.test(scheme))
    problems.push(`WWW-Authenticate starts with "${scheme}". Put the Bearer challenge first.`);
  const { resourceMetadataUrl, scope, error, errorDescription } = extractWWWAuthenticateParams(
    new Response(null, { headers }),
  );
  add(found, "Resource metadata", resourceMetadataUrl?.href);
  add(found, "Scope", scope);
  add(found, "Error", error);
  add(found, "Description", errorDescription);
  if (!resourceMetadataUrl && status === 401)
    problems.push(
      `WWW-Authenticate has no resource_metadata. Add resource_metadata="${wellKnownOf(server)}".`,
    );
  if (resourceMetadataUrl && resourceMetadataUrl.origin !== server.origin)
    problems.push(
      `The resource metadata is on another origin (${resourceMetadataUrl.origin}). Some hosts reject that.`,
    );
}

interface Explanation {
  exchange: LoginExchange;
  server: URL;
  fields: Fields | undefined;
  found: Found;
  problems: string[];
}

const EXPLAIN: Partial<Record<LoginStepKind, (given: Explanation) => void>> = {
  "resource-metadata": ({ server, fields, found, problems }) => {
    if (!fields) return void problems.push(NOT_JSON);
    const { resource, authorization_servers: issuers } = fields;
    add(found, "Resource", resource);
    add(found, "Authorization servers", issuers);
    add(found, "Scopes", fields.scopes_supported);
    if (typeof resource !== "string" || !URL.canParse(resource))
      problems.push(`"resource" isn't an address. Set it to ${server.href}.`);
    else if (!checkResourceAllowed({ requestedResource: server, configuredResource: resource }))
      problems.push(
        `"resource" is ${resource}, which isn't this server. Set it to ${server.href}; a token for another resource isn't requested.`,
      );
    else if (resource !== server.href)
      problems.push(
        `"resource" is ${resource}. Some hosts want exactly the address that users type: ${server.href}.`,
      );
    if (!Array.isArray(issuers) || issuers.length === 0)
      problems.push('"authorization_servers" is missing. Name the issuer that clients log in at.');
    else if (issuers.length > 1)
      problems.push("Several authorization servers are named. Most clients use only the first.");
  },
  "issuer-metadata": ({ exchange, fields, found, problems }) => {
    if (!fields) return void problems.push(NOT_JSON);
    add(found, "Issuer", fields.issuer);
    add(found, "Authorization endpoint", fields.authorization_endpoint);
    add(found, "Token endpoint", fields.token_endpoint);
    add(found, "Registration endpoint", fields.registration_endpoint);
    add(found, "PKCE methods", fields.code_challenge_methods_supported);
    add(found, "Scopes", fields.scopes_supported);
    const { issuer } = fields;
    if (typeof issuer !== "string" || !isOfIssuer(exchange.url, issuer))
      problems.push(
        `"issuer" is ${JSON.stringify(issuer) ?? "missing"}, but this document is at ${exchange.url.origin}. It must be the address under which the resource metadata names it.`,
      );
    const methods = fields.code_challenge_methods_supported;
    if (!Array.isArray(methods) || !methods.includes("S256"))
      problems.push(
        '"code_challenge_methods_supported" doesn\'t contain S256. Clients must not log in without PKCE.',
      );
    if (!fields.registration_endpoint && fields.client_id_metadata_document_supported !== true)
      problems.push(
        "The issuer offers neither dynamic registration nor client ID metadata documents. Users need a client ID: `vitrine login <server> --client-id <id>`.",
      );
    if (fields.authorization_response_iss_parameter_supported !== true)
      found.push(["Issuer in the callback (RFC 9207)", "not supported"]);
  },
  registration: ({ fields, found, problems }) => {
    if (!fields) return void problems.push(NOT_JSON);
    add(found, "Client ID", fields.client_id);
    add(found, "Client secret", fields.client_secret === undefined ? "none" : "received");
    add(found, "Redirects", fields.redirect_uris);
  },
  token: explainTokens,
  refresh: explainTokens,
};

const NOT_JSON = "The response isn't a JSON object.";

function explainTokens({ fields, found, problems, exchange }: Explanation): void {
  if (!fields) return void problems.push(NOT_JSON);
  const hasToken = typeof fields.access_token === "string";
  add(found, "Access token", hasToken ? "received" : "missing");
  add(found, "Refresh token", typeof fields.refresh_token === "string" ? "received" : "none");
  add(found, "Type", fields.token_type);
  add(found, "Valid for", typeof fields.expires_in === "number" ? `${fields.expires_in} s` : "");
  add(found, "Scope", fields.scope);
  if (!hasToken) problems.push('The response has no "access_token".');
  if (String(fields.token_type).toLowerCase() !== "bearer")
    problems.push(`"token_type" is ${JSON.stringify(fields.token_type)}. It must be Bearer.`);
  if (exchange.body instanceof URLSearchParams && !exchange.body.has("resource"))
    problems.push(
      "The request had no resource indicator, because the server has no resource metadata. Without one, the token may be valid for other servers too.",
    );
}

function explainRejection(
  { status, url }: LoginExchange,
  {
    kind,
    fields,
    found,
    problems,
  }: { kind: LoginStepKind; fields: Fields | undefined; found: Found; problems: string[] },
): void {
  add(found, "Error", fields?.error);
  add(found, "Description", fields?.error_description);
  // Clients try several addresses, and a missing document at one of them is normal.
  if (status === 404 && kind === "resource-metadata")
    problems.push(`The server doesn't publish resource metadata at ${url.pathname}.`);
  else if (status === 404 && kind === "issuer-metadata")
    found.push(["Result", "no document here; the next address is tried"]);
  else problems.push(`The response is an error (status ${status}).`);
}

/** Whether metadata at this address may name this issuer. */
function isOfIssuer(url: URL, issuer: string): boolean {
  return URL.canParse(issuer) && new URL(issuer).origin === url.origin;
}

function wellKnownOf(server: URL): string {
  const path = server.pathname === "/" ? "" : server.pathname;
  return `${server.origin}${RESOURCE_METADATA}${path}`;
}

function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function fieldsOf(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

function add(found: Found, label: string, value: unknown): void {
  const text = Array.isArray(value) ? value.slice(0, 20).join(", ") : String(value ?? "");
  if (text !== "") found.push([label, text]);
}
