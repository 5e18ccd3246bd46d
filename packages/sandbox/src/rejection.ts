import { isRecord } from "./own-properties.ts";

/** Why a declared domain, list or permission was left out. */
export type RejectionCode =
  | "not-an-object" // `csp`, `permissions` or one permission
  | "not-a-list"
  | "unknown-list"
  | "too-many"
  | "not-a-string"
  | "length"
  | "invisible" // blanks, controls, zero-width and bidirectional characters
  | "punctuation" // what would end a directive or a header
  | "keyword" // 'self', 'unsafe-inline' and the like
  | "everything" // `*`
  | "scheme-only" // `https:`, `data:`
  | "scheme"
  | "insecure"
  | "credentials"
  | "path"
  | "wildcard"
  | "port"
  | "ip-address"
  | "host-name"
  | "single-label"
  | "not-public"
  | "public-suffix" // a name under which anyone can have a server
  | "own-domain"
  | "websocket" // ws or wss where no socket is opened
  | "blocked"
  | "not-allowed"
  | "needs-consent"
  | "header-full"
  | "unknown-permission"
  | "not-granted"
  | "needs-own-origin"
  | "domain";

/** A declaration that was left out of a View's policy, with the reason and the remedy. */
export interface Rejected {
  /** The key under `_meta.ui` or `_meta.ui.csp`. */
  list: string;
  /** Shortened, printable ASCII in quotes, whatever was declared. */
  value: string;
  code: RejectionCode;
  reason: string;
}

const longestValue = 80;

/** A declared value in a form that can be logged: short, printable, ASCII (E92). */
export function showValue(value: unknown): string {
  if (typeof value !== "string") return describe(value);
  const cut = value.length > longestValue ? `${value.slice(0, longestValue)}...` : value;
  return JSON.stringify(cut).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  return isRecord(value) ? "an object" : "a list";
}

const WORDS: Record<RejectionCode, string> = {
  "not-an-object": "has to be an object. Write { ... }.",
  "not-a-list": 'has to be a list of strings. Write ["https://api.example.com"].',
  "unknown-list":
    "isn't a list of the specification. Use connectDomains, resourceDomains, frameDomains or baseUriDomains.",
  "too-many":
    "exceeds the limit of 32 entries. Declare fewer, or one server that forwards to the others.",
  "not-a-string": 'has to be a string. Write "https://api.example.com".',
  length: "has to have 1 to 300 characters. Declare only the origin.",
  invisible: "has blanks, control or invisible characters. Declare one origin per entry.",
  punctuation: "has quotes, commas or semicolons. Declare one origin per entry and nothing else.",
  keyword: "is a keyword of policies and not a domain. Remove it: inline code is allowed anyway.",
  everything: "would allow every server. Name the hosts that the app talks to.",
  "scheme-only":
    "has no host. Remove it: data: and blob: work without a declaration, and servers need a name.",
  scheme: "has to begin with https://, or with wss:// in connectDomains.",
  insecure: "is not encrypted. Use https:// or wss://.",
  credentials: "hides its host behind a user name. Remove everything up to the @.",
  path: "has a path, query or fragment, but an origin is allowed as a whole. End it after the host.",
  wildcard:
    'has a * in the wrong place. It can only stand first and alone, as in "https://*.example.com".',
  port: "has a port that browsers don't open, or none after the colon. Use one from 1 to 65535 that isn't a mail or system port.",
  "ip-address": "is an IP address. Declare a host name.",
  "host-name":
    "isn't a host name. Use letters, digits and hyphens in labels of 1 to 63, without a dot at the end.",
  "single-label": "is a name of a local network. Declare a public host name.",
  "not-public":
    "is in a zone that isn't on the public internet. Ask the operator to add it to internalDomains.",
  "public-suffix": "is a name under which anyone can have a server. Declare the app's own host.",
  "own-domain": "belongs to the host itself. Call the app's own server, or a tool.",
  websocket: "is for WebSockets, which only connectDomains allows. Declare it there.",
  blocked: "is blocked by the operator of this host. Ask the operator to remove it from the list.",
  "not-allowed":
    "isn't on the operator's list of allowed domains. Ask the operator to add it, or call a tool instead.",
  "needs-consent":
    "can send data to pages or hosts that aren't declared, so the operator or the user has to approve it.",
  "header-full": "doesn't fit: the policy would exceed 8 KiB. Declare fewer or shorter domains.",
  "unknown-permission":
    "isn't a permission of the specification. Use camera, microphone, geolocation or clipboardWrite.",
  "not-granted":
    "isn't granted by the operator of this host. Work without it, or ask the operator.",
  "needs-own-origin":
    "needs a View with its own origin, which a sandbox on the host's domain can't provide.",
  domain:
    "isn't used: this Sandbox derives the origin of each View itself. Remove it, or ask the operator to add it to stableDomains for this server.",
};

/** The sentence about one value. */
export function reasonFor(code: RejectionCode, shown: string): string {
  return `${shown} ${WORDS[code]}`;
}

/** One entry for the author. */
export function rejected(list: string, value: unknown, code: RejectionCode): Rejected {
  const shown = showValue(value);
  return { list, value: shown, code, reason: `${list}: ${reasonFor(code, shown)}` };
}
