// The names of tools and prompts at the combined endpoint: `server__tool`. Model APIs accept 64 characters of
// [A-Za-z0-9_-]. A name that doesn't fit is shortened and ends with a hash, so it doesn't depend on other
// servers, on the order of lists or on the process.

import { createHash } from "node:crypto";

/** A name, taken apart. */
export interface ParsedName {
  /** The prefix of the server. */
  prefix: string;
  /** The name at the server. Undefined if it was shortened and must be found in the server's list. */
  name: string | undefined;
}

const SEPARATOR = "__";
const LONGEST = 64;
const LONGEST_PREFIX = 40;
const FITS = /^[A-Za-z0-9_-]+$/;
const UNFIT = /[^A-Za-z0-9_-]/g;
const SHORTENED = /__[0-9a-f]{12}$/;
const HASH = 12;

/**
 * The prefix of a server: its id, or a shortened form if the id has other characters or could be confused
 * with the separator. Only the operator chooses ids, so no server can imitate the prefix of another.
 */
export function prefixOf(server: string): string {
  const isClear = !server.includes(SEPARATOR) && !server.endsWith("_");
  if (isClear && FITS.test(server) && server.length <= LONGEST_PREFIX) return server;
  const start = server.replace(UNFIT, "-").replace(/_+/g, "_").slice(0, 16);
  return `${start}-${hashOf(server)}`;
}

/** The name of a server's tool or prompt at the combined endpoint. */
export function combinedName(server: string, name: string): string {
  const prefix = `${prefixOf(server)}${SEPARATOR}`;
  const plain = `${prefix}${name}`;
  if (plain.length <= LONGEST && FITS.test(name) && !SHORTENED.test(plain)) return plain;
  const room = LONGEST - prefix.length - SEPARATOR.length - HASH;
  const start = name.replace(UNFIT, "_").slice(0, room);
  return `${prefix}${start}${SEPARATOR}${hashOf(name)}`;
}

/** Takes a name apart. Undefined if it has no prefix. */
export function parseName(combined: string): ParsedName | undefined {
  // A prefix has no separator and doesn't end with `_`, so the first separator ends it.
  const at = combined.indexOf(SEPARATOR);
  if (at <= 0 || combined.length > LONGEST) return undefined;
  const isShortened = SHORTENED.test(combined);
  const name = isShortened ? undefined : combined.slice(at + SEPARATOR.length);
  return { prefix: combined.slice(0, at), name };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH);
}
