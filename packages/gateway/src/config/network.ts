import { isIP } from "node:net";

/** Whether a text is a network, such as `10.0.0.0/8`, or a single address. */
export function isNetwork(text: string): boolean {
  const [address = "", length = "0", ...rest] = text.split("/");
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= longest;
}
