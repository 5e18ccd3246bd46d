// The addresses of resources at the combined endpoint name their server, because two servers may use the same
// address: `ui://server/…` for views, `vitrine://server/…` for everything else. The original address follows
// unchanged, so that a client can fill in a URI template before the gateway takes the address apart.

import { prefixOf } from "./combined-names.ts";

/** An address, taken apart. */
export interface ParsedAddress {
  /** The prefix of the server. */
  prefix: string;
  /** The address at the server. */
  uri: string;
}

const VIEW = "ui://";
const OTHER = "vitrine://";
const ADDRESS = /^(ui|vitrine):\/\/([A-Za-z0-9_-]{1,64})\/(.*)$/s;

/** The address of a server's resource at the combined endpoint. */
export function combinedUri(server: string, uri: string): string {
  const prefix = prefixOf(server);
  return uri.startsWith(VIEW)
    ? `${VIEW}${prefix}/${uri.slice(VIEW.length)}`
    : `${OTHER}${prefix}/${uri}`;
}

/** Takes an address apart. Undefined if it doesn't name a server. */
export function parseUri(combined: string): ParsedAddress | undefined {
  const [, scheme, prefix = "", rest = ""] = ADDRESS.exec(combined) ?? [];
  if (scheme === undefined) return undefined;
  // A view has one address only.
  if (scheme === "vitrine" && rest.startsWith(VIEW)) return undefined;
  return { prefix, uri: scheme === "ui" ? `${VIEW}${rest}` : rest };
}

/**
 * The address at the server for a view, which gets results with addresses of the combined endpoint from its
 * host. Views read from their own server only, so an address of another one stays as it is.
 */
export function ownUri(server: string, uri: string): string {
  const parsed = uri.startsWith(OTHER) ? parseUri(uri) : undefined;
  return parsed?.prefix === prefixOf(server) ? parsed.uri : uri;
}
