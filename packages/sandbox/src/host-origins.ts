// The origins of pages that may embed Views: web pages, wildcards for preview deployments, and pages of
// desktop and mobile apps and of extensions, whose schemes aren't the web's.

import { sandboxError } from "./errors.ts";
import { isWildcard } from "./host-pattern.ts";
import { isLoopback, isOpenToAnybody } from "./public-name.ts";

/** A configured host that passed the checks. */
export interface HostOrigin {
  /** As it was configured, and as browsers write it. */
  text: string;
  kind: "page" | "wildcard" | "app";
  /** Its address. For a wildcard the name that all of its names are below. */
  url: URL;
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Schemes of apps, and the form of the name after it. The list is closed: a misspelt `htps://` would
 * otherwise be a host that never matches. `app://-` is what electron-serve uses.
 */
const APP_SCHEMES: Record<string, RegExp> = {
  app: new RegExp(`^-$|${NAME.source}`),
  capacitor: NAME,
  "chrome-extension": /^[a-p]{32}$/,
  ionic: NAME,
  "moz-extension": UUID,
  tauri: NAME,
  "vscode-file": NAME,
  "vscode-webview": NAME,
};

/** Reads the lists of hosts; throws a `SandboxError` for one that is unsafe or would never match. */
export function readHosts(hosts: readonly string[], openHosts: readonly string[]): HostOrigin[] {
  const read = hosts.map(readHost);
  for (const { kind, text, url } of read) {
    if (kind === "wildcard" && isOpenToAnybody(url.hostname, true)) {
      throw sandboxError("open-wildcard", text);
    }
  }
  const open = openHosts.map(readHost);
  for (const { kind, text } of open) {
    if (kind !== "wildcard") throw sandboxError("bad-wildcard", text);
  }
  return [...read, ...open];
}

function readHost(text: string): HostOrigin {
  const [, scheme = "", name = ""] = /^([a-z][a-z-]*):\/\/([^/]*)$/.exec(text) ?? [];
  if (Object.hasOwn(APP_SCHEMES, scheme)) {
    if (!APP_SCHEMES[scheme]?.test(name)) throw sandboxError("bad-origin", text);
    return { text, kind: "app", url: new URL(text) };
  }
  return isWildcard(text) && /^[\x21-\x7e]+$/.test(text)
    ? readWildcard(text)
    : { text, kind: "page", url: readOrigin(text) };
}

function readWildcard(text: string): HostOrigin {
  const [, before, after] = /^(https?:\/\/)\*\.([^*/]+)$/.exec(text) ?? [];
  // A trailing dot makes another origin, which hardly anybody means.
  if (before === undefined || after === undefined || /\.(?::|$)/.test(after)) {
    throw sandboxError("bad-wildcard", text);
  }
  // With a label, since `https://*` followed by an address would be no name at all.
  readOrigin(`${before}any.${after}`, text);
  return { text, kind: "wildcard", url: readOrigin(`${before}${after}`, text) };
}

/** Reads an origin of the web; `shown` is what the operator wrote. */
export function readOrigin(text: string, shown: string = text): URL {
  // Exactly as browsers write it: anything else would never equal `event.origin`.
  if (!URL.canParse(text) || new URL(text).origin !== text) throw sandboxError("bad-origin", shown);
  const url = new URL(text);
  // A URL may have `;` and `,` in its name, which would end the directive that the origin is written to.
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/.test(url.hostname))
    throw sandboxError("bad-origin", shown);
  // A policy can't contain an IPv6 address, so it would block such a host.
  if (url.hostname.startsWith("[")) throw sandboxError("ip-origin", shown);
  const isSecure =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  if (!isSecure) throw sandboxError("insecure-origin", shown);
  return url;
}
