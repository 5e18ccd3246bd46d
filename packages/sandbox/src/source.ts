// The grammar of declared domains. A string of a server ends up in response headers. So a strict
// pattern parses the string, and the output is built from its parts; text that doesn't parse can't
// pass (E93, E94, E96, E97).

import { isLoopback, isOpenToAnybody, isPublicName, isWithin } from "./public-name.ts";
import { type RejectionCode, reasonFor, showValue } from "./rejection.ts";

/** A parsed domain. */
export interface Source {
  scheme: "https" | "wss" | "http" | "ws";
  /** Every name below `host`, and not `host` itself. */
  wildcard: boolean;
  host: string;
  /** Absent when it is the scheme's own. */
  port?: number;
  /** As it stands in a policy. */
  text: string;
}

/** A parsed domain, or why it is invalid. */
export type ParsedSource =
  | { ok: true; source: Source }
  | { ok: false; code: RejectionCode; reason: string };

/** What an operator adds to the grammar. */
export interface SourceOptions {
  /** Accept `http` and `ws` on loopback. */
  dev?: boolean;
  /** Zones of the operator's own network that may be declared. */
  internalDomains?: readonly string[];
  /** The host's own names, each perhaps with a port; Views may never reach them. */
  ownDomains?: readonly string[];
}

const STRICT =
  /^(?:(https|wss|http|ws):\/\/)?(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([1-9][0-9]{0,4}))?\/?$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const longestSource = 300;
const longestHost = 253;
const DEFAULT_PORTS = { https: 443, wss: 443, http: 80, ws: 80 };

// Ports that the Fetch standard blocks: otherwise a View could make the user's browser connect to a
// mail server.
const BAD_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/** Parses one declared domain; never throws and never returns unparsed text. */
export function parseSource(value: unknown, options: SourceOptions = {}): ParsedSource {
  const result = typeof value === "string" ? readSource(value, options) : "not-a-string";
  return typeof result === "string"
    ? { ok: false, code: result, reason: reasonFor(result, showValue(value)) }
    : { ok: true, source: result };
}

function readSource(text: string, options: SourceOptions): Source | RejectionCode {
  if (text.length === 0 || text.length > longestSource) return "length";
  // First, because some of these disappear in the conversions below, and TAB passed another host's filter.
  if (/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text)) return "invisible";
  const ascii = toAscii(text.toLowerCase());
  const match = ascii === undefined ? null : STRICT.exec(ascii);
  if (!match) return nameFault(text.toLowerCase());
  const [, scheme, star, host = "", digits] = match;
  return check(
    {
      scheme: scheme as Source["scheme"] | undefined,
      wildcard: star !== undefined,
      host,
      port: digits === undefined ? undefined : Number(digits),
    },
    options,
  );
}

/** The text with an international host in its ASCII form; `undefined` if there is no such form. */
function toAscii(text: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  const [, before = "", host, after = ""] =
    /^((?:[a-z]+:\/\/)?(?:\*\.)?)([\p{L}\p{M}\p{N}.-]+)((?::[0-9]+)?\/?)$/u.exec(text) ?? [];
  // Characters that are other ones in disguise, such as full-width letters: the author sees one name
  // and the browser opens another (E96).
  if (host === undefined || host.normalize("NFKC") !== host.normalize("NFC")) return undefined;
  const name = hostOf(host);
  return name && before + name + after;
}

function hostOf(host: string): string | undefined {
  return URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : undefined;
}

interface Parts {
  scheme: Source["scheme"] | undefined;
  wildcard: boolean;
  host: string;
  port: number | undefined;
}

function check(parts: Parts, options: SourceOptions): Source | RejectionCode {
  const local = options.dev === true && isLoopback(parts.host);
  const fault = local ? localFault(parts) : (hostFault(parts, options) ?? schemeFault(parts));
  if (fault) return fault;
  const scheme = parts.scheme ?? (local ? "http" : "https");
  const port = parts.port ?? DEFAULT_PORTS[scheme];
  if (port > 65535 || BAD_PORTS.has(port)) return "port";
  if (options.ownDomains?.some((own) => isOwn({ ...parts, port }, own))) return "own-domain";
  const usual = port === DEFAULT_PORTS[scheme];
  const { wildcard, host } = parts;
  const text = `${scheme}://${wildcard ? "*." : ""}${host}${usual ? "" : `:${port}`}`;
  return { scheme, wildcard, host, text, ...(!usual && { port }) };
}

function localFault({ wildcard, host }: Parts): RejectionCode | undefined {
  if (wildcard) return "wildcard";
  const isName = host.split(".").every((label) => LABEL.test(label)) && hostOf(host) === host;
  return isName ? undefined : "host-name";
}

function schemeFault({ scheme }: Parts): RejectionCode | undefined {
  return scheme === "http" || scheme === "ws" ? "insecure" : undefined;
}

function hostFault({ host, wildcard }: Parts, options: SourceOptions): RejectionCode | undefined {
  const labels = host.split(".");
  // Browsers read a name with such an end as an IPv4 address, in octal and hexadecimal as well (E97).
  if (/(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/.test(host)) return "ip-address";
  if (host.length > longestHost || !labels.every((label) => LABEL.test(label))) return "host-name";
  if (options.internalDomains?.some((zone) => isWithin(host, zone))) return undefined;
  if (labels.length < 2) return isPublicName(host) ? "public-suffix" : "single-label";
  if (!isPublicName(host)) return "not-public";
  return isOpenToAnybody(host, wildcard) ? "public-suffix" : undefined;
}

/** Whether a source reaches one of our own names, `own` being `name` or `name:port`. */
function isOwn(
  { host, wildcard, port }: { host: string; wildcard: boolean; port: number },
  own: string,
): boolean {
  const [, name = "", digits] = /^(.*?)(?::([0-9]+))?$/.exec(own) ?? [];
  if (digits !== undefined && Number(digits) !== port) return false;
  // `localhost`, `127.0.0.1` and `x.localhost` are one machine: there the port tells servers apart.
  if (digits !== undefined && isLoopback(name) && isLoopback(host)) return true;
  return isWithin(host, name) || (wildcard && isWithin(name, host));
}

// Only finds the reason; the strict pattern has already rejected the text.
function nameFault(text: string): RejectionCode {
  const rest = text.replace(/^(?:https?|wss?):\/\//, "");
  const faults: [boolean, RejectionCode][] = [
    [text.startsWith("'"), "keyword"],
    [/[;,'"]/.test(text), "punctuation"],
    [/^\*(?!\.)/.test(rest), "everything"],
    [/^[a-z][a-z0-9+.-]*:(?:\/\/)?$/.test(text) && !text.includes("."), "scheme-only"],
    [rest.includes("@"), "credentials"],
    [rest.startsWith("//") || /^[a-z][a-z0-9+-]*:(?![0-9*])/.test(rest), "scheme"],
    [/[[\]]/.test(rest), "ip-address"],
    [/\/.|[?#\\]/.test(rest), "path"],
    [/:[^/]*\*/.test(rest), "port"],
    [rest.includes("*"), "wildcard"],
    [rest.includes(":"), "port"],
  ];
  return faults.find(([is]) => is)?.[1] ?? "host-name";
}
