// The origin that a view asks for, if it needs a fixed one: each host documents another form. Lists must
// not differ between clients, so the domain is only in the content of a read, whose client is known.

import { serverError } from "./errors.ts";
import { isRecord } from "./json-schema.ts";
import { innerServer } from "./mcp-server.ts";

/** The program that reads a view, as it names itself; a hint, and not a proof. */
export interface ClientInfo {
  name: string;
  version?: string | undefined;
}

/** A domain for each host; clients that aren't named get none. */
export interface HostDomains {
  /** A name, as `claudeDomain(endpoint)` returns it. */
  claude?: string | undefined;
  /** Your own origin, such as `https://acme.com`. */
  chatgpt?: string | undefined;
  /** Of a client by the exact name that it sends. */
  [client: string]: string | undefined;
}

/** One domain for each client: by name, or by a function, which may return none. */
export type DomainByClient = HostDomains | ((client: ClientInfo | undefined) => string | undefined);

const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";
const HOSTS: readonly (readonly [key: string, names: RegExp])[] = [
  ["claude", /^claude-ai$|^Anthropic\//],
  ["chatgpt", /^openai-mcp\b/],
];
const NAME = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Throws for a domain that no host accepts: it is a name, or an origin for hosts that want that. */
export function checkDomain(about: string, domain: string): string {
  const isOrigin = URL.parse(domain)?.protocol === "https:" && new URL(domain).origin === domain;
  if (!NAME.test(domain) && !isOrigin) {
    throw serverError("bad-domain", `${about}: ${JSON.stringify(domain)}`);
  }
  return domain;
}

/** Checks the domains that are known before a client asks. */
export function checkDomains(about: string, domains: DomainByClient): void {
  if (typeof domains === "function") return;
  for (const [key, domain] of Object.entries(domains)) {
    if (domain !== undefined) checkDomain(`${about} for ${key}`, domain);
  }
}

/** The domain for a client; none for a client that isn't known. */
export function domainFor(
  about: string,
  domains: DomainByClient,
  client: ClientInfo | undefined,
): string | undefined {
  if (typeof domains === "function") {
    const domain = domains(client);
    return domain === undefined ? undefined : checkDomain(about, domain);
  }
  if (!client) return undefined;
  const [host] = HOSTS.find(([, names]) => names.test(client.name)) ?? [client.name];
  return Object.hasOwn(domains, host) ? domains[host] : undefined;
}

/**
 * The client of a request. Since 2026-07-28 each request names it; before, the handshake did, which a
 * server without sessions can't remember.
 */
export function clientOf(context: unknown, server: object): ClientInfo | undefined {
  const { mcpReq } = (context ?? {}) as { mcpReq?: { envelope?: Record<string, unknown> } };
  const client = mcpReq?.envelope?.[CLIENT_KEY] ?? innerServer(server)?.getClientVersion?.();
  return isRecord(client) && typeof client.name === "string"
    ? (client as unknown as ClientInfo)
    : undefined;
}
