// Compares origins with the configured hosts. The relay's page uses it too, so it has no imports.

// One label of a domain name; `xn--` labels are included, as browsers write international names.
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a configured host stands for every name with one more label. */
export function isWildcard(host: string): boolean {
  return host.includes("*");
}

/**
 * Whether an origin is a configured host. A wildcard stands for exactly one label. In a policy it
 * stands for any number of labels, so `frame-ancestors` alone isn't enough.
 */
export function matchesHost(host: string, origin: string): boolean {
  if (!isWildcard(host)) return host === origin;
  const [before = "", after = ""] = host.split("*");
  const label = origin.slice(before.length, -after.length);
  return origin === `${before}${label}${after}` && LABEL.test(label);
}

/** The hosts with every wildcard replaced by the one page that embeds. */
export function narrowHosts(hosts: readonly string[], origin: string): string[] {
  const exact = hosts.filter((host) => !isWildcard(host));
  return exact.includes(origin) ? exact : [...exact, origin];
}
