// The page with the host, and the sandbox, each on a site of its own below `localhost`. One stage serves all
// views of a process; it doesn't keep the process alive.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { pageScript } from "#page";

/** Where views are shown. */
export interface TestStage {
  /** Address of the page with the host. */
  url: string;
  /** Address of the sandbox's entrance. */
  entrance: string;
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A view under test</title>
<link rel="icon" href="data:,">
<style>:root { color-scheme: light dark } body { margin: 0 }</style>
<main id="place"></main>
<script type="module" src="/host.js"></script>
</html>`;

let stage: Promise<TestStage> | undefined;

/** The stage of this process; opened on first use. */
export function testStage(): Promise<TestStage> {
  stage ??= openStage();
  return stage;
}

async function openStage(): Promise<TestStage> {
  const script = await pageScript();
  let serveViews: RequestListener = () => {};
  const views = await listen((request, response) => serveViews(request, response));
  let policy = "";
  const host = await listen(({ url }, response) => {
    const isScript = url === "/host.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.setHeader("content-security-policy", policy);
    response.end(isScript ? script : PAGE);
  });
  const origin = `http://vitrine.localhost:${portOf(host)}`;
  const key = randomBytes(32).toString("base64url");
  const port = portOf(views);
  const sandbox = createSandbox({ origins: { tier: "localhost", port, hosts: [origin], key } });
  serveViews = createNodeListener(sandbox);
  policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src data:",
    `frame-src ${sandbox.origins.proxy} http://*.localhost:${port}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return { url: `${origin}/`, entrance: `${sandbox.origins.proxy}/` };
}

async function listen(handler: RequestListener): Promise<Server> {
  const server = createServer(SANDBOX_SERVER_OPTIONS, handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server.unref();
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
