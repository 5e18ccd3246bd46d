import { createServer, request, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSandbox, type Sandbox, type SandboxConfig } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";

export const KEY = "0123456789abcdef0123456789abcdef";

/** A response on its way through a proxy. */
export interface Passing {
  status: number;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer;
}

/** What a proxy breaks. */
export interface Faults {
  /** Changes the request's headers. */
  ask?(headers: Record<string, string>, path: string): void;
  /** Answers instead of the sandbox. */
  instead?(method: string, path: string, headers: Record<string, string>): Passing | undefined;
  /** Changes the response; `host` is the name that was requested. */
  answer?(passing: Passing, path: string, host: string): void;
}

/** A sandbox behind a proxy, and everything that has to be closed. */
export interface Deployed {
  port: number;
  sandboxes: Sandbox[];
  close(): void;
}

/** A setup of a test. */
export interface Setup extends Faults {
  /** Settings of each instance; the proxy uses them in turn. */
  instances?: readonly Partial<SandboxConfig>[];
  hosts?: string[];
  key?: (at: number) => string;
  /** A domain with TLS instead of localhost. */
  domain?: { name: string; key: string; cert: string };
  maxHeaderSize?: number;
}

/** Starts real sandboxes, and a real proxy in front of them. */
export async function deploy(setup: Setup = {}): Promise<Deployed> {
  const { instances = [{}], hosts = ["http://app.localhost:1"], domain } = setup;
  const upstreams: number[] = [];
  const servers: Server[] = [];
  const sandboxes: Sandbox[] = [];
  let turn = 0;
  const options = {
    ...SANDBOX_SERVER_OPTIONS,
    ...(setup.maxHeaderSize && { maxHeaderSize: setup.maxHeaderSize }),
  };
  const listener: Parameters<typeof createServer>[1] = (incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const asked = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    );
    const { host = "" } = asked;
    const own = setup.instead?.(method, path, asked);
    const respond = (passing: Passing): void => {
      setup.answer?.(passing, path, host);
      outgoing.writeHead(passing.status, passing.headers);
      outgoing.end(passing.body);
    };
    if (own) {
      incoming.resume();
      respond(own);
      return;
    }
    setup.ask?.(asked, path);
    const upstream = upstreams[turn++ % upstreams.length];
    const forward = request({ host: "127.0.0.1", port: upstream, method, path, headers: asked });
    forward.on("error", () => outgoing.destroy());
    forward.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const kept = response.rawHeaders.filter((_, at, all) => {
          const name = (all[at - (at % 2)] ?? "").toLowerCase();
          return !["content-length", "transfer-encoding", "connection", "keep-alive"].includes(
            name,
          );
        });
        const { statusCode: status = 0 } = response;
        respond({ status, headers: kept, body: Buffer.concat(chunks) });
      });
    });
    incoming.pipe(forward);
  };
  const proxy = domain
    ? createSecureServer({ ...options, key: domain.key, cert: domain.cert }, listener)
    : createServer(options, listener);
  const port = await listen(proxy as Server, servers);
  for (const [at, config] of instances.entries()) {
    const key = setup.key?.(at) ?? KEY;
    const sandbox = createSandbox({
      origins: domain
        ? { tier: "domain", domain: `https://${domain.name}:${port}`, hosts, key }
        : { tier: "localhost", port, hosts, key },
      ...config,
    });
    sandboxes.push(sandbox);
    const server = createServer(SANDBOX_SERVER_OPTIONS, createNodeListener(sandbox));
    upstreams.push(await listen(server, servers));
  }
  const close = (): void => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    for (const sandbox of sandboxes) sandbox.close();
  };
  return { port, sandboxes, close };
}

async function listen(server: Server, servers: Server[]): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

/** Replaces, adds (without an earlier one) or removes a header. */
export function setHeader({ headers }: Passing, name: string, value?: string): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at]?.toLowerCase() === name) headers.splice(at, 2);
  }
  if (value !== undefined) headers.push(name, value);
}

/** A response of something that isn't a sandbox. */
export function foreign(status: number, body: string, headers: string[] = []): Passing {
  return { status, headers: ["content-type", "text/html", ...headers], body: Buffer.from(body) };
}
