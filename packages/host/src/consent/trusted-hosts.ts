// The operator's list of sites whose links open without a question.

/** True if a link may open without a question. */
export type TrustedLinks = (href: string) => boolean;

const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^\s/:*?#@\\[\]]+|\[[\da-f:.]+\])(?::(\d+))?$/i;

/**
 * Parses entries such as `example.com`, `*.example.com` and `http://localhost:3000`. Each one stands
 * for exactly one scheme and port: https and its default port unless the entry names others.
 */
export function readTrustedHosts(entries: readonly string[]): TrustedLinks {
  const trusted = entries.map(readEntry);
  return (href) => {
    const { protocol, hostname, port } = new URL(href);
    return trusted.some(
      (entry) =>
        entry.protocol === protocol &&
        entry.port === port &&
        (entry.isWildcard ? hostname.endsWith(`.${entry.hostname}`) : hostname === entry.hostname),
    );
  };
}

function readEntry(entry: string): {
  protocol: string;
  hostname: string;
  port: string;
  isWildcard: boolean;
} {
  const [, scheme = "https", wildcard, host, port = ""] = ENTRY.exec(entry) ?? [];
  const address = `${scheme}://${host}${port && `:${port}`}`;
  if (host === undefined || !URL.canParse(address)) {
    throw new TypeError(
      `trustedHosts has ${JSON.stringify(entry)}, which isn't a host. Write "example.com", "*.example.com" or "http://localhost:3000".`,
    );
  }
  const url = new URL(address);
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    port: url.port,
    isWildcard: wildcard !== undefined,
  };
}
