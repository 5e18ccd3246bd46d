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
 * A separate process for each View, also while the domain isn't on the public suffix list. Sent
 * only if a browser might treat Views as one site: it reads the header after it has started a
 * process for the site, and starts another, which doubles the time of a cold start.
 */
function ownProcess(oneSite: boolean): Headers {
  return oneSite ? { "origin-agent-cluster": "?1" } : {};
}

// On the host's own origin the proxy is isolated from it like the View (C70).
const OPAQUE_PROXY = "allow-scripts allow-forms";

/** `Cross-Origin-Embedder-Policy`: how a document loads what other servers send. */
export type EmbedderPolicy = "require-corp" | "credentialless";

/**
 * Lets a page with an embedder policy show this document in a frame; such a page shows nothing else.
 * Only navigations of a frame are answered, and `frame-ancestors` lists the hosts, so `cross-origin`
 * gives nobody more. Without a policy the document itself embeds frames that may have none.
 */
function embeddable(policy: EmbedderPolicy | undefined): Headers {
  if (!policy) return { "cross-origin-resource-policy": "same-origin" };
  return {
    "cross-origin-embedder-policy": policy,
    "cross-origin-resource-policy": "cross-origin",
  };
}

/** The embedder policy of a View that changes nothing for the addresses it declared. */
export function embedderPolicyOf({ egress, grant }: ViewPolicy): EmbedderPolicy | undefined {
  // Most pages that a View could embed have no such policy and would be blocked.
  if (grant.csp.frameDomains) return undefined;
  // Not in every browser, so only for a View that loads something from elsewhere.
  return egress.length > 0 ? "credentialless" : "require-corp";
}

/** Where a View is shown. */
export interface ViewPlacing {
  hosts: readonly string[];
  proxy: string;
  /** Proxy and View have no origin. */
  opaque: boolean;
  /** A browser may treat all Views as one site. */
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
    // Chromium 156); there the address that can be opened once is the only protection.
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
    ...embeddable(embedderPolicyOf(policy)),
    "x-dns-prefetch-control": "off",
  };
}

/** What the page of one View needs to allow. */
export interface ProxyPlacing {
  hosts: readonly string[];
  scriptHash: string;
  /** The one document that may be framed. */
  viewUrl: string;
  /** Clears the view's storage; framed once the view is gone. */
  clearUrl?: string | undefined;
  viewOrigin: string;
  /** Whether the View has an embedder policy; a page that has one can only embed such a View. */
  isEmbeddable: boolean;
  opaque: boolean;
  /** Features granted to the View, which this page has to delegate. */
  permissions: readonly PermissionName[];
}

/**
 * Headers of the relay's page. Its policy differs from the View's: otherwise a declared frame
 * domain could replace the View and send messages in its name (B39). And because the embedding
 * page's policy decides a frame's navigation, allowing one address keeps the View from navigating
 * away (B32).
 */
export function proxyHeaders(placing: ProxyPlacing): Headers {
  const { hosts, scriptHash, viewUrl, clearUrl, viewOrigin, opaque, permissions } = placing;
  return {
    ...ALWAYS,
    ...embeddable(placing.isEmbeddable ? "require-corp" : undefined),
    "content-type": HTML,
    "content-security-policy": write([
      ["default-src", "'none'"],
      ["script-src", scriptHash],
      ["frame-src", join(viewUrl, clearUrl ?? [])],
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
    ...embeddable("require-corp"),
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

/** Headers of the page that shows that the Sandbox is up; it has no other content, so anyone may frame it. */
export function statusHeaders(scriptHash: string): Headers {
  return {
    ...ALWAYS,
    ...embeddable("require-corp"),
    "content-type": HTML,
    "content-security-policy": write([
      ["default-src", "'none'"],
      ["script-src", scriptHash],
      ["base-uri", "'none'"],
      ["form-action", "'none'"],
      // Without an origin, whatever its embedder asks for.
      ["sandbox", "allow-scripts"],
    ]),
  };
}

/** What the probe of `Connection-Allowlist` needs to allow. */
export interface ProbePlacing {
  hosts: readonly string[];
  scriptHash: string;
  /** The address that the policy allows and the list doesn't; reports go there too. */
  address: string;
  opaque: boolean;
}

/** Headers of the page that tests whether the list is enforced: only the list can make its request fail. */
export function probeHeaders({ hosts, scriptHash, address, opaque }: ProbePlacing): Headers {
  return {
    ...ALWAYS,
    ...embeddable("require-corp"),
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

/** Headers of responses that aren't pages: errors, and responses for programs. */
export function answerHeaders(type = "text/plain; charset=utf-8"): Headers {
  return {
    ...ALWAYS,
    "content-type": type,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
  };
}

/** Headers of the response that clears the storage of the view's origin; the relay frames it. */
export function clearHeaders(): Headers {
  return { ...answerHeaders(), ...embeddable("require-corp"), "clear-site-data": '"storage"' };
}

function write(directives: readonly (readonly [string, string])[]): string {
  return directives.map(([name, value]) => `${name} ${value}`.trimEnd()).join("; ");
}

function join(...sources: (string | readonly string[])[]): string {
  return sources.flat().join(" ");
}
