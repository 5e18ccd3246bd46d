// First octets, or first two, that are never on the public internet (IANA special-purpose registry).
const privateIpv4 =
  /^(?:0|10|127|169\.254|192\.168|192\.0\.[02]|198\.51\.100|203\.0\.113|198\.1[89]|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)\./;
const privateSuffix =
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/;

/**
 * True for a host that is not on the public internet, judged by its name alone: nothing is resolved.
 * Expects the `hostname` of a parsed URL, where `0x7f.1` already reads `127.0.0.1`.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, "").toLowerCase();
  if (host.startsWith("[")) return !isPublicIpv6(host.slice(1, -1));
  if (/^\d+(?:\.\d+){3}$/.test(host)) return privateIpv4.test(host);
  // A single label is an intranet name.
  return !host.includes(".") || privateSuffix.test(host);
}

/** Global unicast without documentation, Teredo and 6to4, which hide an IPv4 address. */
function isPublicIpv6(address: string): boolean {
  return /^[23][0-9a-f]{3}:/.test(address) && !/^(?:2002|2001:(?:0?|db8)):/.test(address);
}
