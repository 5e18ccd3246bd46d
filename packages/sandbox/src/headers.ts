// Response headers of everything the Sandbox serves. They are the policy: a `<meta>` in the document
// could be preceded by a script (E102), a header cannot.

import type { ViewPolicy } from "./csp.ts";
import { type PermissionName, permissionsHeader } from "./permissions-policy.ts";

/** Response headers by lower-case name. */
export type Headers = Record<string, string>;

// No cookies, no caches, no sniffing, no referrer: for every response.
const ALWAYS: Headers = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
const HTML = "text/html; charset=utf-8";

/**
 * An own process for each View, also while the domain is not on the public suffix list. Only where a
 * browser might take Views for one site: it learns of the header when it has started a process for
 * the site already, and starts another, which doubles the time of a cold start.
 */
function ownProcess(oneSite: boolean): Headers {
  return oneSite ? { "origin-agent-cluster": "?1" } : {};
}

// On the host's own origin the proxy is as far from it as the View (C70).
const OPAQUE_PROXY = "allow-scripts allow-forms";

/** Where a View is shown. */
export interface ViewPlacing {
  hosts: readonly string[];
  proxy: string;
  /** Proxy and View have no origin. */
  opaque: boolean;
  /** A browser may take all Views for one site. */
  oneSite: boolean;
  /** Flags of the `sandbox` directive. */
  sandbox: string;
  /** Where browsers send reports. */
  reportUrl: string;
}

/** Headers of a View's document. */
export function viewHeaders(policy: ViewPolicy, placing: ViewPlacing): Headers {
  const { hosts, proxy, opaque, oneSite, sandbox, reportUrl } = placing;
  const directives: [string, string][] = [
    ...policy.directives.map(([name, value]): [string, string] => [name, value]),
    // The whole chain of frames. No source matches a proxy without origin, `*` included (measured in
    // Chromium 156); there the address that can be opened once has to do.
    ...(opaque ? [] : [["frame-ancestors", join(proxy, hosts)] as [string, string]]),
    ["sandbox", sandbox],
    ["report-to", "view"],
  ];
  return {
    ...ALWAYS,
    ...ownProcess(oneSite),
    "content-type": HTML,
    "content-security-policy": write(directives),
    "connection-allowlist": `${policy.connectionAllowlist};report-to=view`,
    "reporting-endpoints": `view="${reportUrl}"`,
    "permissions-policy": policy.permissionsPolicy,
    "cross-origin-resource-policy": "same-origin",
    "x-dns-prefetch-control": "off",
  };
}

/** What the page of one View needs to allow. */
export interface ProxyPlacing {
  hosts: readonly string[];
  scriptHash: string;
  /** The one document that may be framed. */
  viewUrl: string;
  viewOrigin: string;
  opaque: boolean;
  /** Features that the View was granted, which have to pass through here. */
  permissions: readonly PermissionName[];
}

/**
 * Headers of the relay's page. Its policy is not the View's: were they one, a declared frame domain
 * could take the View's place and speak in its name (B39). And because a frame's navigation is
 * judged by the page around it, naming one address keeps the View from leaving (B32).
 */
export function proxyHeaders(placing: ProxyPlacing): Headers {
  const { hosts, scriptHash, viewUrl, viewOrigin, opaque, permissions } = placing;
  return {
    ...ALWAYS,
    "content-type": HTML,
    "content-security-policy": write([
      ["default-src", "'none'"],
      ["script-src", scriptHash],
      ["frame-src", viewUrl],
      ["frame-ancestors", join(hosts)],
      ["base-uri", "'none'"],
      ["form-action", "'none'"],
      ...(opaque ? [["sandbox", OPAQUE_PROXY] as [string, string]] : []),
    ]),
    "permissions-policy": permissionsHeader(permissions, `self "${viewOrigin}"`),
  };
}

/** What the entrance needs to allow. */
export interface EntrancePlacing {
  hosts: readonly string[];
  scriptHash: string;
  /** Where it registers a View. */
  viewsUrl: string;
}

/** Headers of the page that takes a resource from a Host. */
export function entranceHeaders({ hosts, scriptHash, viewsUrl }: EntrancePlacing): Headers {
  return {
    ...ALWAYS,
    "content-type": HTML,
    "content-security-policy": write([
      ["default-src", "'none'"],
      ["script-src", scriptHash],
      ["connect-src", viewsUrl],
      ["frame-src", "'none'"],
      ["frame-ancestors", join(hosts)],
      ["base-uri", "'none'"],
      ["form-action", "'none'"],
    ]),
  };
}

/** What the probe of `Connection-Allowlist` needs to allow. */
export interface ProbePlacing {
  hosts: readonly string[];
  scriptHash: string;
  /** What the policy allows and the list does not; reports go there too. */
  address: string;
  opaque: boolean;
}

/** Headers of the page that finds out whether the list is honoured: whatever fails, fails by it. */
export function probeHeaders({ hosts, scriptHash, address, opaque }: ProbePlacing): Headers {
  return {
    ...ALWAYS,
    "content-type": HTML,
    "content-security-policy": write([
      ["default-src", "'none'"],
      ["script-src", scriptHash],
      ["connect-src", address],
      ["frame-ancestors", join(hosts)],
      ["base-uri", "'none'"],
      ["form-action", "'none'"],
      ...(opaque ? [["sandbox", OPAQUE_PROXY] as [string, string]] : []),
    ]),
    // Without an endpoint Chromium makes no report, not even for the page itself.
    "connection-allowlist": "();report-to=probe",
    "reporting-endpoints": `probe="${address}"`,
  };
}

/** Headers of answers that are no pages: errors, and what programs read. */
export function answerHeaders(type = "text/plain; charset=utf-8"): Headers {
  return {
    ...ALWAYS,
    "content-type": type,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
  };
}

function write(directives: readonly (readonly [string, string])[]): string {
  return directives.map(([name, value]) => `${name} ${value}`.trimEnd()).join("; ");
}

function join(...sources: (string | readonly string[])[]): string {
  return sources.flat().join(" ");
}
