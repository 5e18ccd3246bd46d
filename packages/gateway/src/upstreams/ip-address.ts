import { BlockList, isIP } from "node:net";

// The IANA special-purpose registries, including multicast and reserved ranges.
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  // A public address, but Azure's internal services use it.
  "168.63.129.16/32",
];
const SPECIAL_IPV6 = [
  "2001::/23", // Teredo, benchmarking, ORCHID …
  "2001:db8::/32",
  "2002::/16", // 6to4 embeds an IPv4 address, and RFC 7526 deprecates it
  "2620:4f:8000::/48",
  "3fff::/20",
];

const special = new BlockList();
for (const range of SPECIAL_IPV4) {
  const [address = "", bits] = range.split("/");
  // A rule for IPv4 covers IPv4-mapped IPv6 addresses too. NAT64 embeds an address in the same way.
  special.addSubnet(address, Number(bits), "ipv4");
  special.addSubnet(`64:ff9b::${address}`, 96 + Number(bits), "ipv6");
}
for (const range of SPECIAL_IPV6) {
  const [address = "", bits] = range.split("/");
  special.addSubnet(address, Number(bits), "ipv6");
}

const routable = new BlockList();
routable.addSubnet("2000::", 3, "ipv6");
routable.addSubnet("::ffff:0:0", 96, "ipv6");
routable.addSubnet("64:ff9b::", 96, "ipv6");

/** Whether an address is on the public internet. An address that embeds an IPv4 address counts as that one. */
export function isPublicAddress(text: string): boolean {
  const version = isIP(text);
  if (version === 0 || text.includes("%")) return false;
  if (version === 4) return !special.check(text, "ipv4");
  return routable.check(text, "ipv6") && !special.check(text, "ipv6");
}
