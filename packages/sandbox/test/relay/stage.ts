import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { launchChromium } from "@vitrine/internal/chromium";
import type { BrowserContext, Page } from "playwright";
import { createSandbox, type Sandbox } from "../../src/handler.ts";
import { bundlePage, type Program } from "./relay-bundles.ts";
import { applyWeakness, type Weakness } from "./weakness.ts";

/** Real servers on names of their own, and a Chromium in which each of them is a site. */
export interface Stage {
  context: BrowserContext;
  hostOrigin: string;
  proxyOrigin: string;
  /** A third party's origin, which serves a page that posts to every window above it. */
  outsiderOrigin: string;
  /** The Sandbox on origins of its own. */
  sandbox: Sandbox;
  /** A Sandbox on the Host's origin, where nothing has an origin. */
  single: Sandbox;
  /** Paths asked of the third party. */
  outsiderRequests: string[];
  /** Paths asked of either Sandbox, each with the status of its answer. */
  sandboxRequests: string[];
  weaken(weakness: Weakness): void;
  /** Opens an empty page of the Host with one of the test programs. */
  openHost(program: Program, origin?: string): Promise<Page>;
  /** Serves a document under a path of the Host and of the outsider. */
  serve(path: string, html: string): void;
  close(): Promise<void>;
}

// What a page does that has got where it should not be.
const OUTSIDER = `<!doctype html><script>
const call = { jsonrpc: "2.0", id: 666, method: "tools/call", params: { name: "outsider" } };
for (let up = parent; ; up = up.parent) { up.postMessage(call, "*"); if (up === top) break; }
</script>`;

/** Starts everything; one stage is enough for a file of tests. `args` are for Chromium. */
export async function openStage(...args: string[]): Promise<Stage> {
  const outsiderRequests: string[] = [];
  const sandboxRequests: string[] = [];
  const programs = new Map<string, string>();
  let weakness: Weakness = {};

  const world = await listen(async (request, response) => {
    const asked = await toRequest(request);
    if (single.handles(asked)) return answer(single, asked, response);
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.headers.host?.startsWith("outsider.")) {
      outsiderRequests.push(request.url ?? "");
      // An attacker sends whatever headers a frame needs.
      if (request.headers["sec-fetch-dest"] === "iframe") {
        response.setHeader("cross-origin-embedder-policy", "require-corp");
        response.setHeader("cross-origin-resource-policy", "cross-origin");
      }
      return void response.end(programs.get(request.url ?? "") ?? OUTSIDER);
    }
    response.end(
      `<!doctype html><title>Host</title><body>${programs.get(request.url ?? "") ?? ""}`,
    );
  });
  const hostOrigin = `http://host.localhost:${portOf(world)}`;

  const hosts = [hostOrigin];
  const key = "a key of this stage, of at least 32 bytes";
  const single = createSandbox({ origins: { tier: "single-origin", hosts, key } });

  const sandboxServer = await listen(async (request, response) =>
    answer(sandbox, await toRequest(request), response),
  );
  const port = portOf(sandboxServer);
  const sandbox = createSandbox({ origins: { tier: "localhost", port, hosts, key } });

  const answer = async (by: Sandbox, asked: Request, response: ServerResponse): Promise<void> => {
    const answered = await by.fetch(asked);
    const path = new URL(asked.url).pathname;
    sandboxRequests.push(`${answered.status} ${path}`);
    const served = await applyWeakness(path, answered, weakness);
    response.writeHead(answered.status, served.headers).end(served.body);
  };
  const { context, close } = await launchChromium({
    viewport: { width: 800, height: 600 },
    args,
  });

  return {
    context,
    hostOrigin,
    proxyOrigin: sandbox.origins.proxy,
    outsiderOrigin: `http://outsider.localhost:${portOf(world)}`,
    sandbox,
    single,
    outsiderRequests,
    sandboxRequests,
    weaken: (next) => {
      weakness = next;
    },
    serve: (path, html) => void programs.set(path, html),
    openHost: async (program, origin = hostOrigin) => {
      programs.set(`/${program}`, `<script>${await bundlePage(program)}</script>`);
      const page = await context.newPage();
      await page.goto(`${origin}/${program}`);
      return page;
    },
    close: async () => {
      await close();
      for (const server of [world, sandboxServer]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

async function listen(handler: Handler): Promise<Server> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "GET", headers } = request;
  return new Request(`http://${headers.host}${request.url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ...(method === "POST" && { body: Buffer.concat(chunks) }),
  });
}
