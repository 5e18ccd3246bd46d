// Real parts for the tests of a chat: the server "trips", a scripted model, a sandbox, the product's
// server with its page, and a Chromium in which each name below localhost is a site.

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { launchChromium } from "@vitrine/internal/chromium";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import type { Page } from "playwright";
import {
  buildTrips,
  defineTrips,
  TripEvents,
} from "../../../../examples/chat-servers/src/trips.ts";
import { serveTrips } from "../../../../examples/chat-servers/src/trips-site.ts";
import { buildViewPage } from "../../../../examples/chat-servers/src/view-page.ts";
import {
  type ScriptedModel,
  startScriptedModel,
} from "../../../cli/src/chat/scripted-model/scripted-model.ts";
import { CHAIN_SCRIPT } from "./chain-script.ts";
import { openShadows } from "./chat-chain.ts";

type Route = (request: Request) => Response | Promise<Response>;

/** The product under test. */
export interface ChatProduct {
  /** The program of its page. */
  program: URL;
  /** A folder of packages for the page that aren't in the repository; the page uses its React. */
  modules?: string;
  /** Its routes, once the addresses of model and server are known. */
  routes(addresses: { model: string; trips: string }): Promise<Record<string, Route>>;
}

/** Everything that runs. */
export interface ChatStage {
  model: ScriptedModel;
  events(): string[];
  /** Opens the page with a conversation that has not been used. */
  open(): Promise<Page>;
  close(): Promise<void>;
}

/** Starts everything. */
export async function openChatStage(options: ChatProduct): Promise<ChatStage> {
  const { program, routes } = options;
  const events = new TripEvents();
  const app = defineTrips(await buildViewPage(), events);
  const trips = await serveTrips(() => buildTrips(app, events), { port: 0 });
  const model = await startScriptedModel({ script: CHAIN_SCRIPT });
  const handlers = await routes({ model: model.url, trips: trips.url });
  let serveViews: RequestListener = () => {};
  const views = await listen((request, response) => serveViews(request, response));
  let policy = "";
  let files = new Map<string, Uint8Array>();
  const product = await listen(
    getRequestListener(async (request) => {
      const { pathname } = new URL(request.url);
      const route = handlers[pathname];
      if (route) return route(request);
      const file = files.get(pathname);
      if (file) {
        return new Response(Buffer.from(file), { headers: { "content-type": "text/javascript" } });
      }
      const headers = { "content-type": "text/html", "content-security-policy": policy };
      return new Response(html(program), { headers });
    }),
  );
  const origin = `http://app.localhost:${portOf(product)}`;
  const key = "a key of this stage, of at least 32 bytes";
  const port = portOf(views);
  const sandbox = createSandbox({ origins: { tier: "localhost", port, hosts: [origin], key } });
  serveViews = createNodeListener(sandbox);
  const { proxy } = sandbox.origins;
  policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-src ${proxy}`;
  files = await bundle(options, `${proxy}/`);
  const { context, close } = await launchChromium({ viewport: { width: 1280, height: 800 } });
  let opened = 0;
  return {
    model,
    events: () => events.list(),
    open: async () => {
      const page = await context.newPage();
      await openShadows(page);
      await page.goto(`${origin}/?id=chat-${++opened}`);
      return page;
    },
    close: async () => {
      await close();
      for (const server of [product, views]) {
        server.close();
        server.closeAllConnections();
      }
      sandbox.close();
      await Promise.all([trips.close(), model.close()]);
    },
  };
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function html(program: URL): string {
  const script = basename(program.pathname).replace(/\.[jt]sx?$/, ".js");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title><body><div id="root"></div><script type="module" src="/${script}"></script></body></html>`;
}

async function bundle(
  { program, modules }: ChatProduct,
  sandbox: string,
): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(program)],
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    conditions: ["@vitrine/source", "module", "browser"],
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env.NEXT_PUBLIC_SANDBOX": JSON.stringify(sandbox),
      "import.meta.env.VITE_SANDBOX": JSON.stringify(sandbox),
    },
    ...(modules !== undefined && {
      nodePaths: [modules],
      alias: { react: join(modules, "react"), "react-dom": join(modules, "react-dom") },
    }),
    loader: { ".css": "empty" },
    logLevel: "silent",
  });
  return new Map(outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]));
}
