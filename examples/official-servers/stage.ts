import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { EXAMPLE_SERVERS } from "@vitrine/internal/example-servers";
import { createSandbox, type OperatorPolicy } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { build } from "esbuild";

/** The Host's page and the Sandbox, each on a site of its own below `localhost`. */
export async function serve(): Promise<{ address: string; close(): void }> {
  const scripts = await bundle();
  let page = "";
  const host = await listen(({ url = "/" }, response) => {
    const script = scripts.get(url);
    response.setHeader("content-type", script ? "text/javascript" : "text/html; charset=utf-8");
    response.end(script ?? page);
  });
  let answer: RequestListener = () => {};
  const views = await listen((request, response) => answer(request, response));
  const address = `http://app.localhost:${host.port}`;
  const sandbox = createSandbox({
    origins: {
      tier: "localhost",
      port: views.port,
      hosts: [address],
      key: "thirty-two bytes or more, and secret elsewhere",
    },
    // What single servers need beyond the default, an operator grants to them alone.
    authorize: (_, { vitrine }) => {
      const needs = EXAMPLE_SERVERS.find(({ name }) => name === vitrine?.server)?.needs;
      return needs ? { policy: needs as OperatorPolicy } : true;
    },
  });
  answer = createNodeListener(sandbox);
  page = `<!doctype html><html lang="en" data-sandbox="${sandbox.origins.proxy}/"><meta charset="utf-8"><title>Host</title><body><script type="module" src="/page.js"></script></body></html>`;
  return {
    address,
    close: () => {
      for (const { server } of [host, views]) server.close().closeAllConnections();
      sandbox.close();
    },
  };
}

async function listen(handler: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(SANDBOX_SERVER_OPTIONS, handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

async function bundle(): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
    bundle: true,
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return new Map(outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]));
}
