import { BlockList, isIP } from "node:net";

/** Whether a text is a network as `listen.trustedProxies` has them. */
export function isNetwork(text: string): boolean {
  try {
    addNetwork(new BlockList(), text);
    return true;
  } catch {
    return false;
  }
}

/** Adds a network, such as `10.0.0.0/8`, or a single address. Throws if it is neither. */
export function addNetwork(list: BlockList, text: string): void {
  const [address = "", length] = text.split("/");
  const family = isIP(address);
  if (family === 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) {
    throw new RangeError(`"${text}" isn't a network.`);
  }
  const bits = length === undefined ? (family === 6 ? 128 : 32) : Number(length);
  list.addSubnet(address, bits, family === 6 ? "ipv6" : "ipv4");
}
