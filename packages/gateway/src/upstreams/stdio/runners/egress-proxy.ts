// The only way out of a sandbox without a network: an HTTP proxy on a Unix socket. It connects to hosts of the
// list, resolves their names itself, and rejects names that lead into a private network. Inside the sandbox, a
// forwarder makes the socket available as a proxy on a loopback port.

import { type LookupAddress, lookup } from "node:dns";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { isPublicAddress } from "../../ip-address.ts";

/** Options of a proxy. */
export interface EgressOptions {
  network: readonly string[];
  privateNetwork: readonly string[];
  /** Resolves a name to all its addresses. */
  resolve?: ((hostname: string) => Promise<readonly LookupAddress[]>) | undefined;
}

/** A running proxy. */
export interface EgressProxy {
  close(): Promise<void>;
}

interface Target {
  host: string;
  port: number;
}

const CONNECTIONS = 256;
const CONNECT_TIME = 10_000;
// Headers for the proxy or about the connection to it, and not for the server.
const HOP_HEADERS = ["connection", "keep-alive", "proxy-authorization", "proxy-connection", "te"];

/** Whether a list of `host:port` contains a target. */
export function isListed(list: readonly string[], { host, port }: Target): boolean {
  return list.some((entry) => {
    const at = entry.lastIndexOf(":");
    const name = bare(entry.slice(0, at));
    if (Number(entry.slice(at + 1)) !== port) return false;
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
  });
}

/** Starts a proxy on a Unix socket. */
export async function openEgressProxy(path: string, options: EgressOptions): Promise<EgressProxy> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((incoming, response) => void forward(incoming, response, options));
  server.maxConnections = CONNECTIONS;
  server.on("connection", track);
  server.on("clientError", (_, socket) => socket.destroy());
  server.on("upgrade", (_, socket) => socket.destroy());
  server.on("connect", async (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    try {
      const target = readTarget(`http://${incoming.url}`);
      const address = await findAddress(target, options);
      const out = connect({ host: address, port: target.port, timeout: CONNECT_TIME });
      track(out);
      out.once("timeout", () => out.destroy());
      out.once("connect", () => {
        out.setTimeout(0);
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        if (head.length > 0) out.write(head);
        out.pipe(socket);
        socket.pipe(out);
      });
      out.once("close", () => socket.destroy());
      socket.once("close", () => out.destroy());
    } catch (error) {
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${messageOf(error)}\n`);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, readableAll: true, writableAll: true }, resolve);
  });
  server.unref();
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(path, { force: true });
    },
  };
}

/** Forwards a plain http request. */
async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: EgressOptions,
): Promise<void> {
  try {
    const target = readTarget(incoming.url ?? "");
    const { pathname, search, host } = new URL(incoming.url ?? "");
    const address = await findAddress(target, options);
    const headers = { ...incoming.headers, host };
    for (const name of HOP_HEADERS) delete (headers as Record<string, unknown>)[name];
    const { method } = incoming;
    const out = request(
      { host: address, port: target.port, method, path: pathname + search, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    out.on("error", () => response.destroy());
    response.on("close", () => out.destroy());
    incoming.pipe(out);
  } catch (error) {
    response.writeHead(403, { "content-type": "text/plain" }).end(`${messageOf(error)}\n`);
  }
}

function readTarget(text: string): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:") throw new Error("The proxy accepts CONNECT and http requests.");
  return { host: bare(url.hostname), port: Number(url.port || 80) };
}

/** The address to connect to. Every address of the name is checked, because each may be used. */
async function findAddress(target: Target, options: EgressOptions): Promise<string> {
  const { host, port } = target;
  const { network, privateNetwork, resolve = resolveBySystem } = options;
  const mayBePrivate = isListed(privateNetwork, target);
  if (!mayBePrivate && !isListed(network, target)) {
    // The name isn't resolved: a query would carry data to the owner of the domain.
    throw new Error(`${host}:${port} isn't in isolation.network of this server.`);
  }
  const addresses = await resolve(host);
  const hidden = mayBePrivate
    ? undefined
    : addresses.find((each) => !isPublicAddress(each.address));
  if (hidden) {
    throw new Error(
      `${host} is at ${hidden.address}, which isn't on the public internet. List it in isolation.privateNetwork if that is intended.`,
    );
  }
  const [first] = addresses;
  if (!first) throw new Error(`${host} has no address.`);
  return first.address;
}

function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error) reject(new Error(`${hostname} can't be resolved.`));
      else resolve(addresses);
    });
  });
}

function bare(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "The proxy failed.";
}
