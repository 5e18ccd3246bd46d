// Real parts for end-to-end tests of the Host: a Sandbox on names below localhost, a server for the
// Host's page, and a Chromium in which each name is a site.
//
//   const stage = await openHostStage();
//   const page = await openHostPage(stage);
//   await page.evaluate((sandbox) => window.vitrine.createHost({ sandbox }), stage.entrance);
//   await stage.close();

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox, type Sandbox, type SandboxConfig } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import type { BrowserContext, Page } from "playwright";
import { launchChromium } from "./chromium.ts";

/** What a file of tests starts once. */
export interface HostStage {
  context: BrowserContext;
  /** Origin of the Host's pages. */
  hostOrigin: string;
  /** The Sandbox, with an origin for each View. */
  sandbox: Sandbox;
  /** For `sandbox` of a Host that knows only the entrance. */
  entrance: string;
  /** A Sandbox on the Host's own origin, whose pages have none. */
  single: Sandbox;
  /** Programs of the Host's pages, by the path they are served under. */
  scripts: Map<string, Uint8Array>;
  /** What pages opened from now on may connect to besides their own origin: a gateway, say. */
  connects: string[];
  /** Headers of pages opened from now on, in addition to the usual ones or in their place. */
  headers: Map<string, string>;
  close(): Promise<void>;
}

/** How a page of the Host is opened. */
export interface HostPageOptions {
  /** Its program; by default one that puts the host package at `window.vitrine`. */
  program?: URL;
  viewport?: { width: number; height: number };
}

const KEY = "a key of this stage, of at least 32 bytes";
const PROGRAM = new URL("./host-page.ts", import.meta.url);

/** Starts everything; `config` changes both Sandboxes. */
export async function openHostStage(
  config: Omit<Partial<SandboxConfig>, "origins"> = {},
): Promise<HostStage> {
  const scripts = new Map<string, Uint8Array>();
  const connects: string[] = [];
  const headers = new Map<string, string>();
  const hostServer = await listen((request, response) => answer(request, response));
  const sandboxServer = await listen((request, response) => serveSandbox(request, response));
  const hostOrigin = `http://app.localhost:${portOf(hostServer)}`;
  const common = { hosts: [hostOrigin], key: KEY };
  const port = portOf(sandboxServer);
  const sandbox = createSandbox({ ...config, origins: { tier: "localhost", port, ...common } });
  const single = createSandbox({ ...config, origins: { tier: "single-origin", ...common } });
  const serveSandbox = createNodeListener(sandbox);
  const serveSingle = createNodeListener(single);
  const { proxy } = sandbox.origins;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = "/" } = request;
    const by = { "/register": sandbox, "/register-single": single }[url];
    if (method === "POST" && by) {
      await register(by, request, response);
      return;
    }
    if (single.handles({ url: `${hostOrigin}${url}` })) {
      serveSingle(request, response);
      return;
    }
    const script = scripts.get(url);
    if (script) {
      response.setHeader("content-type", "text/javascript");
      response.end(script);
      return;
    }
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("content-security-policy", hostPolicy(proxy, connects));
    for (const [name, value] of headers) response.setHeader(name, value);
    response.end(hostPage(url));
  };

  const { context, close } = await launchChromium({ viewport: { width: 1280, height: 800 } });

  return {
    context,
    hostOrigin,
    sandbox,
    entrance: `${proxy}/`,
    single,
    scripts,
    connects,
    headers,
    close: async () => {
      await close();
      for (const server of [hostServer, sandboxServer]) {
        server.closeAllConnections();
        server.close();
      }
      for (const box of [sandbox, single]) box.close();
    },
  };
}

/** Opens a page of the Host; the caller closes it. */
export async function openHostPage(
  stage: HostStage,
  { program = PROGRAM, viewport }: HostPageOptions = {},
): Promise<Page> {
  const name = basename(program.pathname, ".ts");
  if (!stage.scripts.has(`/${name}.js`)) {
    for (const [path, contents] of await bundle(program)) stage.scripts.set(path, contents);
  }
  const page = await stage.context.newPage();
  if (viewport) await page.setViewportSize(viewport);
  await page.goto(`${stage.hostOrigin}/?${name}`);
  return page;
}

/** As a product serves its own page: no inline scripts or styles, no markup made of strings. */
function hostPolicy(proxy: string, connects: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src ${["'self'", ...connects].join(" ")}`,
    `frame-src 'self' ${proxy}`,
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function hostPage(url: string): string {
  const program = /^\/\?([\w-]+)$/.exec(url)?.[1];
  const script = program ? `<script type="module" src="/${program}.js"></script>` : "";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Host</title>${script}<body></body></html>`;
}

/** Modules loaded on demand stay separate, as in a product. */
async function bundle(program: URL): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(program)],
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  return new Map(outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]));
}

async function register(
  sandbox: Sandbox,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const registered = await sandbox.register(JSON.parse(Buffer.concat(chunks).toString()));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(registered));
  } catch (error) {
    response.writeHead(400).end(String(error));
  }
}

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Server> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
