// Protects the gateway's own network, because third parties choose the addresses of servers and of what
// servers point to. Checks every address that a name resolves to, in binary form, and connects to the address
// that was checked.

import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { isPublicAddress } from "./ip-address.ts";
import { isDirect, type OutboundProxy, proxyConnector } from "./proxy-tunnel.ts";
import { UpstreamError } from "./upstream.ts";

/** Resolves a name to all its addresses. */
export type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What the guard allows. */
export interface AddressGuardOptions {
  /** `host:port` pairs that the operator trusts: any address, and plain http. */
  exempt?: readonly string[];
  resolve?: Resolver;
  /**
   * Reaches hosts that aren't exempt. It resolves their names, so it also decides about their addresses: the
   * names of outside hosts often can't be resolved behind a proxy.
   */
  proxy?: OutboundProxy | undefined;
  /** Certificates of authorities to trust instead of the default ones, as PEM. */
  ca?: string;
  /** Milliseconds for a connection, including the TLS handshake. */
  connectTimeout?: number;
}

/** Decides which addresses the gateway may connect to. */
export interface AddressGuard {
  /** Throws `refused-address` for a URL that can never be allowed. */
  check(url: URL): void;
  /** For undici's `connect`: resolves, checks, and connects to the checked address. */
  readonly connect: buildConnector.connector;
}

const refused = (message: string): UpstreamError => new UpstreamError("refused-address", message);

/** Creates a guard. By default, only https to public addresses is allowed. */
export function createAddressGuard(options: AddressGuardOptions = {}): AddressGuard {
  const { resolve = resolveBySystem, connectTimeout = 10_000, ca } = options;
  const exempt = new Set(options.exempt?.map((entry) => exemptKey(entry)));
  const isExempt = (hostname: string, port: number): boolean =>
    exempt.has(`${bare(hostname)}:${port}`);

  const check = (url: URL): void => {
    const { protocol, hostname } = url;
    if (protocol !== "https:" && protocol !== "http:") {
      throw refused(`${protocol} isn't supported. Use https.`);
    }
    if (url.username || url.password) {
      throw refused(`The URL of ${hostname} contains credentials. Move them to headers.`);
    }
    if (isExempt(hostname, portOf(url))) return;
    if (protocol !== "https:") {
      throw refused(
        `${url.host} doesn't use https. Exempt ${hostname}:${portOf(url)} if that is intended.`,
      );
    }
    if (isIP(bare(hostname))) judge(bare(hostname), hostname);
  };

  const judged = async (hostname: string, isFree: boolean): Promise<LookupAddress[]> => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) {
      throw new UpstreamError("unreachable", `${hostname} has no address.`);
    }
    // One forbidden address is enough to refuse, because the connector chooses which one is used.
    if (!isFree) for (const { address } of addresses) judge(address, hostname);
    return [...addresses];
  };

  const pinned = (hostname: string, isFree: boolean) => {
    return (_: string, { all }: { all?: boolean }, done: LookupDone): void => {
      judged(hostname, isFree).then((addresses) => {
        const [first] = addresses;
        if (all) done(null, addresses);
        else done(null, first?.address, first?.family);
      }, done);
    };
  };

  // Cached, because each keeps the TLS sessions of its host.
  const connectors = new Map<string, buildConnector.connector>();
  const connectorTo = (hostname: string, isFree: boolean): buildConnector.connector => {
    const key = `${isFree} ${hostname}`;
    let connector = connectors.get(key);
    if (!connector) {
      const lookup = pinned(hostname, isFree) as never;
      connector = buildConnector({ timeout: connectTimeout, allowH2: false, lookup, ...tlsOf(ca) });
      if (connectors.size >= 256) connectors.clear();
      connectors.set(key, connector);
    }
    return connector;
  };

  const { proxy } = options;
  const connectThrough = proxy && proxyConnector(proxy, { timeout: connectTimeout, ...tlsOf(ca) });
  const connect: buildConnector.connector = (target, callback) => {
    const hostname = bare(target.hostname);
    const port = Number(target.port || (target.protocol === "https:" ? 443 : 80));
    const isFree = isExempt(hostname, port);
    try {
      if (!isFree && isIP(hostname)) judge(hostname, hostname);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    const isProxied = !isFree && proxy && !isDirect(proxy, hostname);
    const through = isProxied ? connectThrough : undefined;
    (through ?? connectorTo(hostname, isFree))({ ...target, hostname }, callback);
  };
  return { check, connect };
}

function tlsOf(ca: string | undefined): { ca?: string } {
  return ca === undefined ? {} : { ca };
}

type LookupDone = (
  error: Error | null,
  address?: string | LookupAddress[],
  family?: number,
) => void;

function judge(address: string, hostname: string): void {
  if (isPublicAddress(address)) return;
  throw refused(`${hostname} is at ${address}, which isn't on the public internet.`);
}

function resolveBySystem(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

/** A host name without the brackets of IPv6 and without the trailing dot. */
function bare(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

function exemptKey(entry: string): string {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(entry) ?? [];
  if (!host || !port) {
    throw new TypeError(
      `"${entry}" isn't a valid exemption. Write host:port, such as "localhost:3000".`,
    );
  }
  return `${bare(new URL(`http://${host}`).hostname)}:${Number(port)}`;
}
