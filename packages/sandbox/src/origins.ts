// Where host, proxy and Views live. The set-up is most of the defence: a View on the host's site
// reads its cookies, and on its origin everything. So what is unsafe does not start, and says why.

import { base32, createSigner, type Signer } from "./digest.ts";
import { sandboxError } from "./errors.ts";
import { isLoopback, isWithin, siteOf } from "./public-name.ts";
import { baseFlags } from "./sandbox-flags.ts";

interface AnyTier {
  /** Origins of the pages that may embed Views. */
  hosts: readonly string[];
  /** Secret of the deployment, at least 32 bytes: the names of Views derive from it. */
  key: string | Uint8Array;
  /** Flags of the Views, where fewer than all harmless ones are wanted. */
  sandbox?: string;
}

/** Production: a registrable domain for Views and nothing else, with a wildcard certificate. */
export interface DomainTier extends AnyTier {
  tier: "domain";
  /** As in `https://usercontent.example`; proxy and Views have names below it. */
  domain: string;
}

/** Development: names below `localhost`, of which browsers make one site each. */
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

/** Whose View it is; what differs in any part has another origin. */
export interface ViewIdentity {
  tenant?: string;
  user?: string;
  /** The server, by what the host knows it by and not by what it calls itself. */
  server: string;
  /** The `ui://` address. */
  resource: string;
}

/** Where a request belongs. */
export interface Place {
  part: "proxy" | "view" | "both";
  /** Host and port, as the request had it. */
  host: string;
  /** Below the prefix, with a slash first. */
  path: string;
}

/** A layout that was found safe. */
export interface Origins {
  readonly tier: OriginsConfig["tier"];
  readonly hosts: readonly string[];
  /** Origin of the proxy page; the host's own in a single-origin set-up. */
  readonly proxy: string;
  /** What stands before each path; empty but for a single origin. */
  readonly prefix: string;
  /** Whether Views have no origin of their own. */
  readonly opaque: boolean;
  /** Whether a browser may take all Views for one site: until it knows the domain for a suffix. */
  readonly oneSite: boolean;
  readonly sandbox: string;
  /** Names, some with a port, that no View may reach. */
  readonly ownDomains: readonly string[];
  /** HMAC-SHA256 with the deployment's key. */
  readonly signer: Signer;
  /** The origin that serves a View: stable for one app and policy, different for all others. */
  viewOrigin(identity: ViewIdentity, policyHash: string): Promise<string>;
  /** Which part of the Sandbox a request is for, if any. */
  locate(url: URL): Place | undefined;
}

const leastKey = 32;
const longestHosts = 1024;
// Of 52 characters 32 are kept: 160 bits, and short enough for any certificate or log.
const labelLength = 32;
const LABEL = /^[a-z2-7]{32}$/;
const PROXY = "proxy";

/** Checks a layout and makes its origins; throws a `SandboxError` for whatever is unsafe. */
export function createOrigins(config: OriginsConfig): Origins {
  const signer = createSigner(readKey(config.key));
  const hosts = config.hosts.map(readOrigin);
  if (hosts.length === 0) throw sandboxError("no-hosts", "");
  // They stand in a header of each page, which has an end.
  if (config.hosts.join(" ").length > longestHosts) throw sandboxError("many-hosts", hosts.length);
  const layout = config.tier === "single-origin" ? layOutOne(config, hosts) : layOut(config, hosts);
  return {
    tier: config.tier,
    // Below `localhost` each name is a site, and a View without an origin is nobody's.
    oneSite: config.tier === "domain",
    hosts: hosts.map(({ origin }) => origin),
    sandbox: baseFlags(config.sandbox, layout.opaque),
    signer,
    ...layout,
    viewOrigin: async ({ tenant = "", user = "", server, resource }, policyHash) => {
      const parts = ["view", tenant, user, server, resource, policyHash];
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

function layOut(config: DomainTier | LocalhostTier, hosts: readonly URL[]): Layout {
  const base = config.tier === "domain" ? readDomain(config.domain) : readPort(config.port);
  const originOf = (label: string): string => `${base.protocol}//${label}.${base.host}`;
  for (const host of hosts) refuseNearness(host, base, originOf(PROXY));
  const proxyHost = `${PROXY}.${base.host}`;
  return {
    proxy: originOf(PROXY),
    prefix: "",
    opaque: false,
    ownDomains: [...hosts.map(ownName), ownName(base)],
    originOf,
    locate: ({ host, pathname }) => {
      if (host === proxyHost) return { part: "proxy", host, path: pathname };
      const isView = host.endsWith(`.${base.host}`);
      const label = host.slice(0, -base.host.length - 1);
      // Whatever else stands below our domain is ours as well, but nothing is there.
      return isView && LABEL.test(label) ? { part: "view", host, path: pathname } : undefined;
    },
  };
}

function layOutOne(config: SingleOriginTier, hosts: readonly URL[]): Layout {
  const [host] = hosts;
  if (!host || hosts.length > 1) throw sandboxError("many-hosts", hosts.length);
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
function refuseNearness(host: URL, base: URL, proxy: string): void {
  if (host.origin === proxy) throw sandboxError("same-origin", host.origin);
  const own = siteOf(host.hostname);
  // Below `localhost` each name is a site; of `usercontent.example` all are one, until it is on the
  // public suffix list. And who is on the list must still not keep the host among its Views.
  const isNear =
    base.hostname === "localhost"
      ? own === `${PROXY}.localhost`
      : isWithin(host.hostname, base.hostname) || own === siteOf(`${PROXY}.${base.hostname}`);
  if (isNear) throw sandboxError("same-site", `${host.origin} and ${proxy}`);
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

function readOrigin(text: string): URL {
  // Exactly as browsers write it: anything else would never equal `event.origin`.
  if (!URL.canParse(text) || new URL(text).origin !== text) throw sandboxError("bad-origin", text);
  const url = new URL(text);
  // A policy has no way to name an IPv6 address, so such a host would be shut out by it.
  if (url.hostname.startsWith("[")) throw sandboxError("ip-origin", text);
  const isSecure =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  if (!isSecure) throw sandboxError("insecure-origin", text);
  return url;
}

function readKey(key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (bytes.length < leastKey) throw sandboxError("short-key", bytes.length);
  return bytes;
}
