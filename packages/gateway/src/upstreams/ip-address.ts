// Addresses as bytes: text has too many spellings of the same one.

/** The four or sixteen bytes of an address; undefined for anything else. */
export function addressBytes(text: string): Uint8Array | undefined {
  return text.includes(":") ? ipv6Bytes(text) : ipv4Bytes(text);
}

function ipv4Bytes(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  const isWhole = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part));
  const numbers = parts.map(Number);
  return isWhole && numbers.every((number) => number < 256) ? Uint8Array.from(numbers) : undefined;
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupBytes);
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const length = head.length + (tail?.length ?? 0);
  if (halves.length === 1 ? length !== 16 : length > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  if (tail) bytes.set(tail, 16 - tail.length);
  return bytes;
}

function groupBytes(text: string): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    const dotted = index === groups.length - 1 ? ipv4Bytes(group) : undefined;
    if (dotted) bytes.push(...dotted);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
}

interface Range {
  bytes: Uint8Array;
  bits: number;
}

function range(cidr: string): Range {
  const [address = "", bits] = cidr.split("/");
  const bytes = addressBytes(address);
  if (!bytes) throw new TypeError(`${cidr} is no range of addresses.`);
  return { bytes, bits: Number(bits) };
}

function isWithin(address: Uint8Array, { bytes, bits }: Range): boolean {
  if (address.length !== bytes.length) return false;
  for (let index = 0; index * 8 < bits; index++) {
    const mask = (0xff00 >> Math.min(8, bits - index * 8)) & 0xff;
    if (((address[index] ?? 0) ^ (bytes[index] ?? 0)) & mask) return false;
  }
  return true;
}

// The IANA special-purpose registry, multicast and reserved space included.
const SPECIAL: readonly Range[] = [
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
  // A public address by its number, the platform's own services by what answers there (Azure).
  "168.63.129.16/32",
  "2001::/23", // Teredo, benchmarking, ORCHID …
  "2001:db8::/32",
  "2002::/16", // 6to4: an IPv4 address in disguise, and given up by RFC 7526
  "2620:4f:8000::/48",
  "3fff::/20",
].map(range);

const GLOBAL_UNICAST = range("2000::/3");
// Both carry an IPv4 address in their last four bytes, and that is where the packet goes.
const MAPPED = range("::ffff:0:0/96");
const NAT64 = range("64:ff9b::/96");

/** True for an address on the public internet; what an address hides within it is judged instead of it. */
export function isPublicAddress(text: string): boolean {
  const bytes = addressBytes(text);
  if (!bytes) return false;
  if (isWithin(bytes, MAPPED) || isWithin(bytes, NAT64)) {
    return isPublicAddress(bytes.slice(12).join("."));
  }
  if (bytes.length === 16 && !isWithin(bytes, GLOBAL_UNICAST)) return false;
  return !SPECIAL.some((special) => isWithin(bytes, special));
}
