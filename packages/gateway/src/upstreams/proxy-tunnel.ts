// Connections through a company's HTTP proxy: the proxy opens one to the target (CONNECT, RFC 9110 9.3.6), and TLS runs
// end to end inside it.

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { buildConnector } from "undici";
import { UpstreamError } from "./upstream.ts";

/** A proxy, and how to log in to it. */
export interface OutboundProxy {
  /** `http://host:port` or `https://host:port`. */
  url: string;
  /** Called for each connection, because the password may be rotated. */
  login?(): { user: string; password: string } | undefined;
  /** Host names that are reached without the proxy, besides this machine. `.example.com` is a domain and everything below it. */
  direct?: readonly string[];
}

const LOOPBACK = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|::1)$/;
const LARGEST_HEAD = 16_384;
const END = "\r\n\r\n";

/** Whether a host is reached without the proxy. */
export function isDirect({ direct = [] }: OutboundProxy, hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (LOOPBACK.test(host)) return true;
  return direct.some((entry) => {
    const name = entry.toLowerCase();
    return name.startsWith(".") ? host === name.slice(1) || host.endsWith(name) : host === name;
  });
}

/** For undici's `connect`: everything through a proxy. */
export function proxyConnector(
  proxy: OutboundProxy,
  { timeout, ca }: { timeout: number; ca?: string },
): buildConnector.connector {
  const secure = buildConnector({ timeout, allowH2: false, ...(ca !== undefined && { ca }) });
  return (target, callback) => {
    const { hostname, protocol } = target;
    const port = Number(target.port || (protocol === "https:" ? 443 : 80));
    openTunnel(proxy, { hostname, port, timeout }).then(
      (socket) => {
        if (protocol === "https:") secure({ ...target, httpSocket: socket }, callback);
        else callback(null, socket.resume());
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** Opens a connection to a target through a proxy. Rejects with `unreachable` and what the proxy said. */
function openTunnel(
  proxy: OutboundProxy,
  { hostname, port, timeout }: { hostname: string; port: number; timeout: number },
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connectTo(new URL(proxy.url));
  let head = Buffer.alloc(0);
  const fail = (reason: string, cause?: unknown): void => {
    clearTimeout(timer);
    socket.destroy();
    const message = `The outbound proxy ${reason}. Check outbound.proxy, and that it allows ${hostname}:${port}.`;
    reject(new UpstreamError("unreachable", message, { cause, sent: false }));
  };
  const timer = setTimeout(() => fail("didn't answer in time"), timeout);
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(END);
    const problem = problemOf(head, end);
    if (problem !== undefined) fail(problem);
    if (problem !== undefined || end < 0) return;
    clearTimeout(timer);
    socket.off("data", read).off("error", onError).off("close", onClose);
    socket.pause();
    const rest = head.subarray(end + END.length);
    if (rest.length > 0) socket.unshift(rest);
    resolve(socket);
  };
  const onError = (cause: Error): void => fail(`can't be used (${cause.message})`, cause);
  const onClose = (): void => fail("closed the connection");
  socket.on("data", read).on("error", onError).on("close", onClose);
  socket.write(requestFor(proxy, hostname, port));
  return promise;
}

/** Why an answer is of no use. Undefined also for one that isn't complete yet. */
function problemOf(head: Buffer, end: number): string | undefined {
  if (end < 0) return head.length > LARGEST_HEAD ? "sent an answer that is too long" : undefined;
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString("latin1"))?.[1];
  if (status === undefined) return "isn't an HTTP proxy";
  return status.startsWith("2") ? undefined : `refused the connection (${status})`;
}

function connectTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (protocol === "http:") return connectPlain({ host, port: Number(port || 80) });
  const name = isIP(host) ? {} : { servername: host };
  return connectTls({ host, port: Number(port || 443), ...name });
}

function requestFor({ login }: OutboundProxy, hostname: string, port: number): string {
  const target = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
  const given = login?.();
  const basic = given && Buffer.from(`${given.user}:${given.password}`).toString("base64");
  const lines = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    ...(basic === undefined ? [] : [`Proxy-Authorization: Basic ${basic}`]),
  ];
  return `${lines.join("\r\n")}${END}`;
}
