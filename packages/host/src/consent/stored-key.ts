import type { ConsentSubject, ViewOwner } from "./consent.ts";
import { KEY_VERSION } from "./subject-key.ts";

/** What a key tells about its answer. */
export interface KeyParts extends ViewOwner {
  /** Absent if the answer always holds; empty for the default conversation. */
  conversation?: string | undefined;
  server: string;
  kind: ConsentSubject["kind"];
  /** The tool's name, the origin of a link, sites; not every kind has one. */
  subject?: string | undefined;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNull: Check = (value) => value === null;
const isTextOrNull: Check = (value) => isText(value) || isNull(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isHash: Check = (value) => isText(value) && /^[\da-f]{64}$/.test(value as string);

/** The subject of each kind, and the definition that the answer is bound to. */
const SHAPES: ReadonlyMap<unknown, readonly [subject: Check, definition: Check]> = new Map<
  ConsentSubject["kind"],
  readonly [Check, Check]
>([
  ["tool", [isText, isHash]],
  ["app-tool", [isText, isHash]],
  ["link", [isText, isNull]],
  ["display-mode", [isText, isNull]],
  ["domains", [isTexts, isNull]],
  ["message", [isNull, isNull]],
  ["download", [isNull, isNull]],
  ["sampling", [isNull, isNull]],
]);

/** Reads a key that this version could have written; a store may contain any others. */
export function readKey(key: string): KeyParts | undefined {
  const parts = parse(key);
  // The same text again, because an answer is only found under exactly this spelling.
  if (!Array.isArray(parts) || JSON.stringify(parts) !== key) return undefined;
  const [version, held, tenant, user, server, kind, about, definition, ...rest] = parts;
  const [isSubject, isDefinition] = SHAPES.get(kind) ?? [];
  const isValid =
    version === KEY_VERSION &&
    Array.isArray(held) &&
    held.length < 2 &&
    [...held, tenant, user].every(isTextOrNull) &&
    isText(server) &&
    isSubject?.(about) &&
    isDefinition?.(definition) &&
    rest.length === 0;
  if (!isValid) return undefined;
  return {
    conversation: held.map((id) => id ?? "")[0],
    tenant: tenant ?? undefined,
    user: user ?? undefined,
    server,
    kind,
    subject: Array.isArray(about) ? about.join(" ") : (about ?? undefined),
  };
}

function parse(key: string): unknown {
  try {
    return JSON.parse(key);
  } catch {
    return undefined;
  }
}
