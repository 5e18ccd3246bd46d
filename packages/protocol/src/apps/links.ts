import { type Decision, type Refusal, refuse } from "./decision.ts";
import { LIMITS } from "./limits.ts";
import { describeValue, quote } from "./mismatch.ts";
import { isPrivateHost } from "./private-host.ts";

/** Why a link is not opened. */
export type LinkRefusal =
  | "malformed" // no absolute URL, or one that reads differently from how it is parsed
  | "too-long"
  | "scheme" // would run code, read files or start a program
  | "credentials"
  | "private-host" // reaches into the user's own network
  | "own-origin"; // the Host itself

/** What a Host permits beyond http and https to public hosts. */
export interface LinkOptions {
  /** Allow `mailto:`. */
  mailto?: boolean;
  /** Refuse `http:`. */
  httpsOnly?: boolean;
  /** Allow loopback, link-local and private addresses, e.g. during development. */
  privateHosts?: boolean;
  /** Origins of the Host itself: its log-out page is not the View's to open. */
  ownOrigins?: readonly string[];
}

/** A link that may be shown and opened. */
export interface AllowedLink {
  /** Normalised; open this and not what the View sent. */
  href: string;
  /** In punycode, for the confirmation; empty for `mailto:`. */
  host: string;
}

/** Decides `ui/open-link` (HST-70). */
export function decideLink(
  url: unknown,
  options: LinkOptions = {},
): Decision<LinkRefusal, AllowedLink> {
  const unreadable = refuseText(url);
  if (unreadable) return unreadable;
  const text = url as string;
  const parsed = parse(text);
  if (!parsed)
    return refuse("malformed", `The url is ${describeValue(url)}; send an absolute one.`);
  const refusal =
    parsed.protocol === "mailto:" && options.mailto
      ? refuseMail(text)
      : refuseWeb(text, parsed, options);
  return refusal ?? { allow: true, href: parsed.href, host: parsed.hostname };
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

function refuseText(url: unknown): Refusal<LinkRefusal> | undefined {
  if (typeof url !== "string") {
    return refuse("malformed", `The url is ${describeValue(url)}; send a string.`);
  }
  if (url.length > LIMITS.link) {
    return refuse("too-long", `The url has ${url.length} characters; ${LIMITS.link} are allowed.`);
  }
  // Parsers drop or rewrite these, so a person would read another URL than the one that opens.
  return /[\p{C}\p{Z}\\]/u.test(url)
    ? refuse("malformed", "The url has blanks, invisible characters or backslashes; encode them.")
    : undefined;
}

function refuseMail(text: string): Refusal<LinkRefusal> | undefined {
  // An encoded line break adds mail headers in some clients.
  return /%(?:[01][0-9a-f]|7f)/i.test(text)
    ? refuse("malformed", "The mailto link has encoded control characters; remove them.")
    : undefined;
}

function refuseWeb(text: string, url: URL, options: LinkOptions): Refusal<LinkRefusal> | undefined {
  const { protocol, hostname } = url;
  const schemes = options.httpsOnly ? ["https:"] : ["https:", "http:"];
  if (!schemes.includes(protocol)) {
    return refuse("scheme", `${quote(protocol)} is not opened; use ${schemes.join(" or ")}`);
  }
  // `https:host` and `https:/host` parse, but nobody reads them as that host.
  if (!/^https?:\/\/[^/]/i.test(text)) {
    return refuse("malformed", `The url lacks "//" before its host; send ${url.href.slice(0, 80)}`);
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("credentials", `The url hides ${hostname} behind a user name; remove it.`);
  }
  // By name: over http or with a dot at its end it is the same log-out page.
  const name = url.host.replace(/\.(?=:|$)/, "");
  if (options.ownOrigins?.some((own) => parse(own)?.host === name)) {
    return refuse("own-origin", `${url.origin} is the Host itself; link to another site.`);
  }
  return !options.privateHosts && isPrivateHost(hostname)
    ? refuse("private-host", `${hostname} is not public; the Host must allow private hosts.`)
    : undefined;
}
