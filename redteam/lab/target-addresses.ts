import type { Target } from "../channels/channel.ts";
import { DECLARABLE_DOMAIN } from "./dns-server.ts";
import type { Cell, Laboratory } from "./laboratory.ts";

/** Where one cell's attacker listens; travels into pages as data. */
export interface TargetAddresses
  extends Pick<Target, "base" | "tls" | "socket" | "host" | "site" | "udp" | "tcp"> {
  /** The same server under a name that a view may declare. */
  readonly declarable: string;
}

export function addressesOf(
  { attacker }: Laboratory,
  secure: boolean,
  { id, sinks }: Cell,
): TargetAddresses {
  const host = `${id}.evil.test`;
  const tls = `https://${host}:${attacker.tlsPort}`;
  return {
    host,
    tls,
    base: secure ? tls : `http://${host}:${attacker.httpPort}`,
    socket: secure ? `wss://${host}:${attacker.tlsPort}` : `ws://${host}:${attacker.httpPort}`,
    site: `https://evil-${id}.test:${attacker.tlsPort}`,
    declarable: `https://${id}.${DECLARABLE_DOMAIN}:${attacker.tlsPort}`,
    udp: sinks.udp,
    tcp: sinks.tcp,
  };
}
