import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { addressBytes } from "../upstreams/ip-address.ts";

/** How many connections a server keeps. */
export interface ConnectionLimits {
  /** Open connections in total. */
  connections: number;
  /** Connections of one address that no admitted request uses. */
  connectionsPerAddress: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 32_768,
  connectionsPerAddress: 1024,
};

/** Milliseconds for the head of a request, and for all of it. */
export const REQUEST_TIMES = { headers: 10_000, request: 30_000 };

/** Idle connections in total, as a multiple of one address's. */
const ADDRESSES = 4;

/**
 * Options of a `node:http` server that closes a request which doesn't arrive in time. Node checks every
 * 30 seconds by default, which would let a stalled request live for a minute.
 */
export function timeouts({
  headers,
  request,
}: typeof REQUEST_TIMES = REQUEST_TIMES): Pick<
  ServerOptions,
  "headersTimeout" | "requestTimeout" | "connectionsCheckingInterval"
> {
  return {
    headersTimeout: Math.min(headers, request),
    requestTimeout: request,
    connectionsCheckingInterval: 1000,
  };
}

/**
 * Bounds the connections of a server. A connection is idle until a request on it is admitted, and again
 * after the response. When there are too many, the connection that has been idle longest is closed: a new
 * connection of an honest client replaces a stalled one, not the other way round.
 */
export class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  /** In both, the one that has been idle longest comes first. */
  readonly #idle = new Set<Socket>();
  readonly #idleOf = new Map<string, Set<Socket>>();
  #open = 0;

  constructor(limits: ConnectionLimits = CONNECTION_LIMITS) {
    this.#limits = limits;
  }

  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#accept(socket));
    // A request makes its connection the newest of the idle ones, even before it is admitted.
    server.on("request", ({ socket }: IncomingMessage) => {
      if (this.#idle.has(socket)) this.release(socket);
    });
  }

  /** An admitted request uses this connection, so it isn't closed to make room. */
  hold(socket: Socket): void {
    const address = addressKey(socket.remoteAddress);
    const own = this.#idleOf.get(address);
    this.#idle.delete(socket);
    own?.delete(socket);
    if (own?.size === 0) this.#idleOf.delete(address);
  }

  /** The response was sent: the connection is idle again. */
  release(socket: Socket): void {
    this.hold(socket);
    if (socket.destroyed) return;
    const address = addressKey(socket.remoteAddress);
    const own = this.#idleOf.get(address) ?? new Set();
    this.#idleOf.set(address, own);
    own.add(socket);
    this.#idle.add(socket);
    const { connections, connectionsPerAddress } = this.#limits;
    if (own.size > connectionsPerAddress) this.#closeFirst(own);
    if (this.#idle.size > ADDRESSES * connectionsPerAddress || this.#open > connections) {
      this.#closeFirst(this.#idle);
    }
  }

  #accept(socket: Socket): void {
    this.#open += 1;
    // `remoteAddress` is gone once the socket is closed, and the key is needed then.
    const address = addressKey(socket.remoteAddress);
    socket.once("close", () => {
      this.#open -= 1;
      this.#idle.delete(socket);
      const own = this.#idleOf.get(address);
      own?.delete(socket);
      if (own?.size === 0) this.#idleOf.delete(address);
    });
    this.release(socket);
  }

  #closeFirst(sockets: Set<Socket>): void {
    const [first] = sockets;
    if (!first) return;
    this.hold(first);
    first.destroy();
  }
}

/** The address limits are kept by: of IPv6 the network, since one client has 2^64 addresses of it. */
export function addressKey(address = ""): string {
  if (!address.includes(":")) return address;
  const bytes = addressBytes(address);
  if (!bytes) return address;
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  return isMapped ? bytes.subarray(12).join(".") : bytes.subarray(0, 8).join(":");
}
