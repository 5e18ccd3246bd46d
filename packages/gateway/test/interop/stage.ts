// A gateway in front of stdio servers, for tools that need an address without a token.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request as forward, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createMemoryEngine } from "../../src/engine/index.ts";
import { createGateway, type GatewayOptions } from "../../src/gateway.ts";
import { devAuthenticator } from "../../src/identity/user-token.ts";
import { createTickets } from "../../src/identity/view-ticket.ts";
import {
  createAddressGuard,
  createHttpUpstream,
  type Upstream,
} from "../../src/upstreams/index.ts";

/** A gateway, and a proxy in front of it that adds the token. */
export interface InteropStage extends AsyncDisposable {
  /** The gateway's address for a server, through the proxy. */
  addressOf(server: string): string;
  /** Of the gateway itself. */
  gateway: string;
  token: string;
}

const TOKEN = "a-token-for-interop-0123456789abcdef";
const MANY = 1_000_000;

/** Puts a gateway before the servers. */
export async function openInterop(servers: Record<string, Upstream>): Promise<InteropStage> {
  const proxy = createServer();
  const port = await listen(proxy);
  const engine = createMemoryEngine();
  const names = [`localhost:${port}`, `127.0.0.1:${port}`];
  const options: GatewayOptions = {
    engine,
    // Requests to the proxy are meant for the gateway, so the Host header and the Origin are passed on.
    hosts: names,
    origins: names.map((name) => `http://${name}`),
    authenticate: devAuthenticator(TOKEN),
    tickets: createTickets({ keys: [{ id: "a", secret: new Uint8Array(32).fill(7) }] }),
    recorder: { admit: () => undefined, refused: () => {}, answered: () => {} },
    servers: Object.fromEntries(
      Object.entries(servers).map(([id, upstream]) => [
        id,
        { upstream, settings: { consent: "host" as const } },
      ]),
    ),
    // Tools send in seconds what a user does in hours.
    limits: {
      rates: {
        viewPerMinute: MANY,
        userPerMinute: MANY,
        serverPerMinute: MANY,
        userAtOnce: 1000,
      },
    },
  };
  const gateway = createGateway(options);
  const bound = await gateway.listen({ port: 0 });
  proxy.on("request", (request, response) => {
    const onward = forward({
      host: "127.0.0.1",
      port: bound.port,
      method: request.method,
      path: request.url,
      headers: { ...request.headers, authorization: `Bearer ${TOKEN}` },
    });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  return {
    addressOf: (server) => `http://127.0.0.1:${port}/servers/${server}/mcp`,
    gateway: bound.url,
    token: TOKEN,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await gateway.close({ drain: 0 });
      await engine.close();
    },
  };
}

/** An upstream over HTTP to a server on this machine. */
export function httpUpstream(id: string, url: string): Upstream {
  const guard = createAddressGuard({ exempt: [new URL(url).host] });
  return createHttpUpstream({ id, url, guard });
}

/** A program that serves HTTP. */
export interface ServedProgram extends AsyncDisposable {
  url: string;
}

/** Starts a program on a port that is free, and waits until it takes connections. */
export async function serveProgram(
  argvFor: (port: number) => readonly [string, ...string[]],
  { path = "/mcp", patience = 60_000 }: { path?: string; patience?: number } = {},
): Promise<ServedProgram> {
  const port = await freePort();
  const [program, ...rest] = argvFor(port);
  const child = spawn(program, rest, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-1000);
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const close = async (): Promise<void> => {
    process.removeListener("exit", kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(kill, 3000);
    await gone;
    clearTimeout(timer);
  };
  const end = performance.now() + patience;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > end) {
      await close();
      throw new Error(`${program} does not serve: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url: `http://127.0.0.1:${port}${path}`, [Symbol.asyncDispose]: close };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
