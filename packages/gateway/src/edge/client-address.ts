// The address of a client behind proxies. A header that names it counts only if a trusted proxy sent it, and
// only as far back as the chain of trusted proxies goes: everything before that, the client may have written.

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** Finds the addresses of clients. */
export interface ClientAddresses {
  of(request: Pick<IncomingMessage, "headers" | "socket">): string;
  /** Whether an address is one of the proxies, whose connections belong to many clients. */
  isProxy(address: string | undefined): boolean;
}

/** A proxy adds itself, so a longer chain isn't honest. */
const LONGEST_CHAIN = 32;

/** Trusts the proxies in these networks: `10.0.0.0/8`, or a single address. */
export function createClientAddresses(trusted: readonly string[] = []): ClientAddresses {
  const list = new BlockList();
  for (const network of trusted) addNetwork(list, network);
  const isProxy = (given: string | undefined): boolean => {
    const address = plainAddress(given ?? "");
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
  return {
    isProxy,
    of: ({ headers, socket }) => {
      let client = plainAddress(socket.remoteAddress ?? "");
      // From the nearest proxy to the farthest.
      for (const hop of hopsOf(headers).toReversed().slice(0, LONGEST_CHAIN)) {
        if (!isProxy(client) || isIP(hop) === 0) break;
        client = hop;
      }
      return client;
    },
  };
}

function addNetwork(list: BlockList, text: string): void {
  const [address = "", length] = text.split("/");
  const family = isIP(address);
  if (family === 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) {
    throw new RangeError(`"${text}" isn't a network.`);
  }
  const bits = length === undefined ? (family === 6 ? 128 : 32) : Number(length);
  list.addSubnet(address, bits, family === 6 ? "ipv6" : "ipv4");
}

/** The addresses that the proxies added, the nearest last. */
function hopsOf({ "x-forwarded-for": listed }: IncomingMessage["headers"]): string[] {
  if (listed === undefined) return [];
  return `${listed}`.split(",").map((hop) => plainAddress(hop.trim()));
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
