// Small web servers, and pages from our modules.

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A web server on its own port. */
export interface Served {
  port: number;
  close(): void;
}

/** Serves on any free port. */
export async function serve(listener: RequestListener): Promise<Served> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () => server.close().closeAllConnections(),
  };
}

/** A module with all its imports, by the path under which each file is served. */
export async function bundle(module: URL): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(module)],
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

/** A page with a module and data in its markup. */
export async function servePage(module: URL, data: () => Record<string, string>): Promise<Served> {
  const scripts = await bundle(module);
  const name = basename(module.pathname, ".ts");
  return serve(({ url = "/" }, response) => {
    const script = scripts.get(new URL(url, "http://x").pathname);
    response.setHeader("content-type", script ? "text/javascript" : "text/html; charset=utf-8");
    response.end(script ?? pageOf(name, data()));
  });
}

function pageOf(name: string, data: Record<string, string>): string {
  const attributes = Object.entries(data).map(([key, value]) => `data-${key}="${value}"`);
  return `<!doctype html><html lang="en" ${attributes.join(" ")}><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Host</title><body><script type="module" src="/${name}.js"></script></body></html>`;
}
