// The origins of host, proxy and Views. The setup is most of the defence: a View on the host's site
// can read its cookies, and on its origin everything. So an unsafe setup throws with the reason.

import { base32, createSigner, type Signer } from "./digest.ts";
import { sandboxError } from "./errors.ts";
import { type HostOrigin, readHosts, readOrigin } from "./host-origins.ts";
import { matchesHost } from "./host-pattern.ts";
import { isLoopback, isWithin, siteOf } from "./public-name.ts";
import { baseFlags } from "./sandbox-flags.ts";

interface AnyTier {
  /**
   * Origins of the pages that may embed Views. `https://*.preview.chat.example` stands for every name
   * with exactly one label more.
   */
  hosts: readonly string[];
  /**
   * Wildcards below a suffix where anyone can get a name, such as `https://*.vercel.app`. So any page
   * there can open a frame of the Sandbox, and each View has to be registered for one `host`.
   */
  openHosts?: readonly string[];
  /** Secret of the deployment, at least 32 bytes: the names of Views derive from it. */
  key: string | Uint8Array;
  /** Flags of the Views; all harmless ones by default. */
  sandbox?: string;
}

/** Production: a registrable domain for Views and nothing else, with a wildcard certificate. */
export interface DomainTier extends AnyTier {
  tier: "domain";
  /** As in `https://usercontent.example`; proxy and Views have names below it. */
  domain: string;
}

/** Development: names below `localhost`, each of which is a site to browsers. */
export interface LocalhostTier extends AnyTier {
  tier: "localhost";
  /** Where the Sandbox listens. */
  port: number;
}

/** One domain, one port: Views have no origin at all, and so no storage and no devices. */
export interface SingleOriginTier extends AnyTier {
  tier: "single-origin";
  /** Path below which the Sandbox answers on the host's origin; `/sandbox` by default. */
  prefix?: string;
}

/** How a Sandbox is laid out. */
export type OriginsConfig = DomainTier | LocalhostTier | SingleOriginTier;

/** The identity of a View; a difference in any part means another origin. */
export interface ViewIdentity {
  tenant?: string;
  user?: string;
  /** The host's own id of the server, not the name that the server sends. */
  server: string;
  /** The `ui://` address. */
  resource: string;
}

/**
 * What a View's origin depends on beyond its identity. A new version of the document has a new origin,
 * so that it can't read storage that an old, perhaps hostile version prepared.
 */
export interface ViewVersion {
  policyHash: string;
  htmlHash: string;
}

/** Where a request belongs. */
export interface Place {
  part: "proxy" | "view" | "both";
  /** Host and port, as the request had it. */
  host: string;
  /** Below the prefix, with a slash first. */
  path: string;
}

/** A layout that passed the safety checks. */
export interface Origins {
  readonly tier: OriginsConfig["tier"];
  /** As configured, with wildcards. */
  readonly hosts: readonly string[];
  /** Whether anyone can have a page that is a host, so that each View needs its own. */
  readonly isOpen: boolean;
  /** Origin of the proxy page; the host's own in a single-origin set-up. */
  readonly proxy: string;
  /** The prefix of each path; empty except in a single-origin setup. */
  readonly prefix: string;
  /** Whether Views have an opaque origin. */
  readonly opaque: boolean;
  /** Whether a browser may treat all Views as one site, because the domain isn't on its suffix list. */
  readonly oneSite: boolean;
  readonly sandbox: string;
  /** Names, some with a port, that no View may reach. */
  readonly ownDomains: readonly string[];
  /** HMAC-SHA256 with the deployment's key. */
  readonly signer: Signer;
  /** The origin that serves a View: stable for one identity and version, different for all others. */
  viewOrigin(identity: ViewIdentity, version: ViewVersion): Promise<string>;
  /** The origin of all Views of a server with one declared domain, whatever their user and version. */
  stableOrigin(owner: { tenant?: string; server: string; domain: string }): Promise<string>;
  /** Whether a page of this origin may embed Views. */
  allows(host: string): boolean;
  /** Which part of the Sandbox a request is for, if any. */
  locate(url: URL): Place | undefined;
}

const leastKey = 32;
const longestHosts = 1024;
// Of 52 characters 32 are kept: 160 bits, and short enough for any certificate or log.
const labelLength = 32;
const LABEL = /^[a-z2-7]{32}$/;
const PROXY = "proxy";

/** Checks a layout and creates its origins; throws a `SandboxError` for an unsafe one. */
export function createOrigins(config: OriginsConfig): Origins {
  const signer = createSigner(readKey(config.key));
  const { openHosts = [] } = config;
  const hosts = readHosts(config.hosts, openHosts);
  const texts = hosts.map(({ text }) => text);
  if (hosts.length === 0) throw sandboxError("no-hosts", "");
  // They are in a header of each page, whose length is limited.
  if (texts.join(" ").length > longestHosts) throw sandboxError("many-hosts", hosts.length);
  const layout = config.tier === "single-origin" ? layOutOne(config, hosts) : layOut(config, hosts);
  return {
    tier: config.tier,
    // Below `localhost` each name is a site, and a View with an opaque origin belongs to none.
    oneSite: config.tier === "domain",
    hosts: texts,
    isOpen: openHosts.length > 0,
    allows: (host) => texts.some((text) => matchesHost(text, host)),
    sandbox: baseFlags(config.sandbox, layout.opaque),
    signer,
    ...layout,
    viewOrigin: async ({ tenant = "", user = "", server, resource }, { policyHash, htmlHash }) => {
      const parts = ["view", tenant, user, server, resource, policyHash, htmlHash];
      return layout.originOf(base32(await signer.sign(parts)).slice(0, labelLength));
    },
    stableOrigin: async ({ tenant = "", server, domain }) => {
      const parts = ["stable", tenant, server, domain];
      return layout.originOf(base32(await signer.sign(parts)).slice(0, labelLength));
    },
  };
}

interface Layout {
  proxy: string;
  prefix: string;
  opaque: boolean;
  ownDomains: string[];
  originOf(label: string): string;
  locate(url: URL): Place | undefined;
}

function layOut(config: DomainTier | LocalhostTier, hosts: readonly HostOrigin[]): Layout {
  const base = config.tier === "domain" ? readDomain(config.domain) : readPort(config.port);
  const originOf = (label: string): string => `${base.protocol}//${label}.${base.host}`;
  for (const host of hosts) refuseNearness(host, base, originOf(PROXY));
  const proxyHost = `${PROXY}.${base.host}`;
  return {
    proxy: originOf(PROXY),
    prefix: "",
    opaque: false,
    ownDomains: [...hosts.flatMap(ownNames), ownName(base)],
    originOf,
    locate: ({ host, pathname }) => {
      if (host === proxyHost) return { part: "proxy", host, path: pathname };
      const isView = host.endsWith(`.${base.host}`);
      const label = host.slice(0, -base.host.length - 1);
      // Other names below our domain are ours as well, but serve nothing.
      return isView && LABEL.test(label) ? { part: "view", host, path: pathname } : undefined;
    },
  };
}

function layOutOne(config: SingleOriginTier, hosts: readonly HostOrigin[]): Layout {
  const [first] = hosts;
  if (!first || hosts.length > 1) throw sandboxError("many-hosts", hosts.length);
  // The host's own server serves the Views, so there has to be one, with one name.
  if (first.kind !== "page") throw sandboxError("mixed-tier", first.text);
  const host = first.url;
  for (const key of ["domain", "port"]) {
    if (key in config) throw sandboxError("mixed-tier", key);
  }
  const prefix = config.prefix ?? "/sandbox";
  if (!/^(?:\/[A-Za-z0-9-]+)+$/.test(prefix)) throw sandboxError("bad-prefix", prefix);
  return {
    proxy: host.origin,
    prefix,
    opaque: true,
    ownDomains: [ownName(host)],
    originOf: () => host.origin,
    locate: (url) =>
      url.host === host.host && url.pathname.startsWith(`${prefix}/`)
        ? { part: "both", host: url.host, path: url.pathname.slice(prefix.length) }
        : undefined,
  };
}

/** Host and sandbox must be two sites: cookies and processes are shared within one (C58, C59). */
function refuseNearness({ kind, text, url: host }: HostOrigin, base: URL, proxy: string): void {
  if (text === proxy) throw sandboxError("same-origin", text);
  // An app's scheme makes it another site than any page of the web.
  if (kind === "app") return;
  const proxyName = `${PROXY}.${base.hostname}`;
  const own = siteOf(host.hostname);
  // Below `localhost` each name is a site; of `usercontent.example` all are one, until it is on the
  // public suffix list. And even with an entry on the list, the host must not be below the same domain as its Views.
  const isNear =
    base.hostname === "localhost"
      ? own === proxyName
      : isWithin(host.hostname, base.hostname) || own === siteOf(proxyName);
  // A wildcard that covers the Sandbox would make every View a host.
  const isCovered = kind === "wildcard" && isWithin(proxyName, host.hostname);
  if (isNear || isCovered) throw sandboxError("same-site", `${text} and ${proxy}`);
}

/** The names of a host on the network; an app's scheme has none. */
function ownNames({ kind, url }: HostOrigin): string[] {
  return kind === "app" ? [] : [ownName(url)];
}

/** What a View must not reach: a name, or on the user's machine a port. */
function ownName(url: URL): string {
  if (!isLoopback(url.hostname)) return url.hostname;
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}

function readDomain(domain: string): URL {
  const base = readOrigin(domain);
  if (isLoopback(base.hostname)) throw sandboxError("localhost-port", domain);
  if (/^\d+(?:\.\d+){3}$/.test(base.hostname)) throw sandboxError("ip-origin", domain);
  return base;
}

function readPort(port: number): URL {
  const origin = `http://localhost:${port}`;
  if (!Number.isInteger(port) || port < 1 || !URL.canParse(origin)) {
    throw sandboxError("bad-origin", origin);
  }
  return new URL(origin);
}

function readKey(key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (bytes.length < leastKey) throw sandboxError("short-key", bytes.length);
  return bytes;
}
