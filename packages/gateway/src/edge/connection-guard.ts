import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Socket } from "node:net";

/** Limits for the connections of a server. */
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

/** Milliseconds in which the headers of a request, and the whole request, must arrive. */
export const REQUEST_TIMES = { headers: 10_000, request: 30_000 };

/** Idle connections of all addresses, as a multiple of the limit per address. */
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
 * Limits the connections of a server. A connection is idle until a request on it is admitted, and again after
 * the response. If there are too many, the connection that has been idle longest is closed, so that a new
 * connection of an honest client replaces a stalled one and not vice versa.
 */
export class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  /** Both are ordered by idle time, longest first. */
  readonly #idle = new Set<Socket>();
  readonly #idleOf = new Map<string, Set<Socket>>();
  #open = 0;

  readonly #isProxy: (address: string | undefined) => boolean;

  /** A proxy's connections belong to many clients, so the limit per address isn't for them. */
  constructor(
    limits: ConnectionLimits = CONNECTION_LIMITS,
    isProxy: (address: string | undefined) => boolean = () => false,
  ) {
    this.#limits = limits;
    this.#isProxy = isProxy;
  }

  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#accept(socket));
    // A request makes its connection the newest of the idle ones, even before it is admitted.
    server.on("request", ({ socket }: IncomingMessage) => {
      if (this.#idle.has(socket)) this.release(socket);
    });
  }

  /** Marks the connection as used by an admitted request, so that it isn't closed. */
  hold(socket: Socket): void {
    this.#forget(socket, addressKey(socket.remoteAddress));
  }

  /** Marks the connection as idle again after the response. */
  release(socket: Socket): void {
    this.hold(socket);
    if (socket.destroyed) return;
    const address = addressKey(socket.remoteAddress);
    const own = this.#idleOf.get(address) ?? new Set();
    this.#idleOf.set(address, own);
    own.add(socket);
    this.#idle.add(socket);
    const { connections, connectionsPerAddress } = this.#limits;
    const isProxy = this.#isProxy(socket.remoteAddress);
    if (own.size > connectionsPerAddress && !isProxy) this.#closeFirst(own);
    const isCrowded = this.#idle.size > ADDRESSES * connectionsPerAddress && !isProxy;
    if (isCrowded || this.#open > connections) {
      this.#closeFirst(this.#idle);
    }
  }

  #accept(socket: Socket): void {
    this.#open += 1;
    // `remoteAddress` is undefined once the socket is closed, but the key is needed then.
    const address = addressKey(socket.remoteAddress);
    socket.once("close", () => {
      this.#open -= 1;
      this.#forget(socket, address);
    });
    this.release(socket);
  }

  #forget(socket: Socket, address: string): void {
    const own = this.#idleOf.get(address);
    this.#idle.delete(socket);
    own?.delete(socket);
    if (own?.size === 0) this.#idleOf.delete(address);
  }

  #closeFirst(sockets: Set<Socket>): void {
    const [first] = sockets;
    if (!first) return;
    this.hold(first);
    first.destroy();
  }
}

/**
 * The key of a remote address for limits. For IPv6 it is the /64 network, because one client owns all 2^64
 * addresses in it.
 */
export function addressKey(address = ""): string {
  if (!address.includes(":")) return address;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped) return mapped;
  const [head = [], tail] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = tail ? Array(Math.max(0, 8 - head.length - tail.length)).fill("0") : [];
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(":");
}
