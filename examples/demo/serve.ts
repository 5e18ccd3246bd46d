// `npm run demo`: the page, the Sandbox and two official example servers, each where `page.ts` expects
// for it. `--check` opens the page in Chromium, waits until both Views are shown, and ends.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import { installServers } from "../official-servers/install.ts";

const HOST = "http://app.localhost:8080";
const SERVERS = [
  { name: "basic-vanillajs", port: 3101, says: "Get Server Time" },
  { name: "budget-allocator", port: 3102, says: "$100,000" },
];

async function listen(port: number, handler: RequestListener): Promise<() => void> {
  const server = createServer(SANDBOX_SERVER_OPTIONS, handler).listen(port, "127.0.0.1");
  await Promise.race([once(server, "listening"), once(server, "error").then(([e]) => fail(e))]);
  return () => void server.close().closeAllConnections();
}

function fail(error: unknown): never {
  throw new Error(`${error}. The demo needs the ports 8080, 8081, 3101 and 3102.`);
}

/** Starts a server of npm and waits for its port. */
async function startServer(modules: string, name: string, port: number): Promise<() => void> {
  const program = join(modules, "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [program], { env, stdio: "ignore" });
  for (let tries = 0; tries < 100; tries++) {
    const socket = connect(port, "127.0.0.1");
    const isThere = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isThere) return () => void child.kill();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error(`server-${name} did not start on port ${port}.`);
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0]?.text ?? "";
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Two apps</title>
<style>
:root { color-scheme: light dark; font: 16px system-ui, sans-serif }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
mcp-app { display: block; margin-block: 1rem }
</style>
<script type="module" src="/page.js"></script>
<h1>Two apps</h1>
</html>`;

/** Whether both Views are shown. */
async function check(): Promise<boolean> {
  const { chromium } = await import("playwright");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(HOST);
    for (const until = Date.now() + 30_000; Date.now() < until; await page.waitForTimeout(200)) {
      const views = page.frames().filter((frame) => frame.url().includes("/v/"));
      const texts = await Promise.all(views.map((view) => view.locator("body").textContent()));
      if (SERVERS.every(({ says }) => texts.some((text) => text?.includes(says)))) return true;
    }
    return false;
  } finally {
    await browser.close();
  }
}

const modules = await installServers();
const script = await bundle();
const sandbox = createSandbox({
  origins: {
    tier: "localhost",
    port: 8081,
    hosts: [HOST],
    key: "for a demonstration only; yours is random and secret",
  },
});
const stops = [
  await listen(8080, ({ url }, response) => {
    const isScript = url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isScript ? script : PAGE);
  }),
  await listen(8081, createNodeListener(sandbox)),
  ...(await Promise.all(SERVERS.map(({ name, port }) => startServer(modules, name, port)))),
];
const stop = (): void => {
  for (const end of stops) end();
  sandbox.close();
};

if (process.argv.includes("--check")) {
  const isShown = await check();
  console.log(`demo: ${isShown ? "both Views are shown" : "a View is missing"}`);
  process.exitCode = isShown ? 0 : 1;
  stop();
} else {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  console.log(`Two apps:  ${HOST}\nSandbox:   ${sandbox.origins.proxy}\nStop with Ctrl+C.`);
}
