// Shows the calls of `calls.ts` through the proxy in our Host, and fails where one is not seen.
//
//   node check.mjs                      all
//   node check.mjs memory               one server
//   VITRINE_SHOTS=folder node check.mjs keeps pictures, light and dark

import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { build } from "esbuild";
import { type Browser, chromium, type Frame, type Page } from "playwright";
import { type ExampleServer, exampleServers, type ShownCall } from "./calls.ts";
import type {} from "./page.ts";
import { openProxy } from "./proxy.ts";

const BIN = fileURLToPath(new URL("../../../node_modules/.bin/", import.meta.url));
const SHOTS = process.env.VITRINE_SHOTS;
const PATIENCE = 15_000;

async function listen(handler: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(SANDBOX_SERVER_OPTIONS, handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** The Host's page, the servers below it, and the Sandbox on a site of its own. */
async function serve(
  servers: Map<string, RequestListener>,
): Promise<{ address: string; close(): void }> {
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
  const scripts = new Map(
    outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]),
  );
  let page = "";
  const host = await listen((request, response) => {
    const { url = "/" } = request;
    const mcp = servers.get(/^\/servers\/(\w+)\/mcp$/.exec(url)?.[1] ?? "");
    if (mcp) return mcp(request, response);
    const script = scripts.get(url);
    response.setHeader("content-type", script ? "text/javascript" : "text/html; charset=utf-8");
    return response.end(script ?? page);
  });
  let answer: RequestListener = () => {};
  const views = await listen((request, response) => answer(request, response));
  const address = `http://app.localhost:${host.port}`;
  const key = "thirty-two bytes or more, and secret elsewhere";
  const sandbox = createSandbox({
    origins: { tier: "localhost", port: views.port, hosts: [address], key },
  });
  answer = createNodeListener(sandbox);
  page = `<!doctype html><html lang="en" data-sandbox="${sandbox.origins.proxy}/"><meta charset="utf-8"><title>Host</title><style>:root{color-scheme:light}body{max-width:720px;margin:16px auto;padding:0 16px}</style><body><script type="module" src="/page.js"></script></body></html>`;
  return {
    address,
    close: () => {
      for (const { server } of [host, views]) server.close().closeAllConnections();
      sandbox.close();
    },
  };
}

async function viewOf(page: Page): Promise<Frame> {
  for (const until = Date.now() + PATIENCE; Date.now() < until; await page.waitForTimeout(50)) {
    const view = page.frames().find((frame) => frame.parentFrame()?.parentFrame());
    if (view) return view;
  }
  throw new Error("no View came");
}

async function untilSeen(
  view: Frame,
  { shows, by }: Pick<ShownCall, "shows" | "by">,
): Promise<void> {
  await view.locator(by).first().waitFor({ timeout: PATIENCE });
  for (const text of shows) {
    await view.getByText(text).first().waitFor({ timeout: PATIENCE });
  }
}

/** Calls the tool again with the form of the View. */
async function callAgain(
  view: Frame,
  { fill, shows }: NonNullable<ShownCall["again"]>,
): Promise<void> {
  await view.locator("details.call-again > summary").click();
  for (const [name, value] of Object.entries(fill)) {
    const field = view.getByLabel(name);
    const isChoice = await field.evaluate((element) => element.tagName === "SELECT");
    if (isChoice) await field.selectOption({ label: value });
    else await field.fill(value);
  }
  await view.getByRole("button", { name: "Call", exact: true }).click();
  await view.getByText(shows).first().waitFor({ timeout: PATIENCE });
}

async function picture(page: Page, name: string): Promise<void> {
  if (!SHOTS) return;
  for (const theme of ["light", "dark"] as const) {
    await page.evaluate((theme) => window.theme(theme), theme);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(SHOTS, `${name}-${theme}.png`), fullPage: true });
  }
  await page.evaluate(() => window.theme("light"));
}

async function check(
  browser: Browser,
  address: string,
  server: string,
  call: ShownCall,
): Promise<void> {
  const { tool, input, again } = call;
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  try {
    await page.goto(address);
    await page.waitForFunction(() => "showCall" in window);
    await page.evaluate((call) => window.showCall(call), { server, tool, input });
    const view = await viewOf(page);
    await untilSeen(view, call);
    await page.waitForTimeout(SHOTS ? 500 : 0);
    await picture(page, `${server}-${tool}`);
    if (again) {
      await callAgain(view, again);
      await page.waitForTimeout(SHOTS ? 300 : 0);
      await picture(page, `${server}-${tool}-again`);
    }
    const complaints = await page.evaluate(() => window.complaints);
    if (complaints.length > 0) throw new Error(complaints.join("; "));
  } catch (error) {
    await picture(page, `${server}-${tool}-failed`);
    throw error;
  } finally {
    await page.close();
  }
}

/** The same over stdio, by the program that anybody can put before a server. */
async function checkStdio({ name, args, env = {} }: ExampleServer): Promise<void> {
  const client = new Client(
    { name: "check", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const flags = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
  const program = fileURLToPath(new URL("stdio.ts", import.meta.url));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...flags, program, join(BIN, `mcp-server-${name}`), ...args],
      env: { ...(process.env as Record<string, string>), ...env },
    }),
  );
  const { tools } = await client.listTools();
  for (const { name: tool, _meta } of tools) {
    const { resourceUri = "" } = (_meta?.ui ?? {}) as { resourceUri?: string };
    const { contents } = await client.readResource({ uri: resourceUri });
    const [page] = contents as { text?: string }[];
    if (!page?.text?.startsWith("<!doctype html>")) throw new Error(`${tool} has no view`);
  }
  await client.close();
  console.log(`  ${name}: ${tools.length} tools with a View, over stdio`);
}

const folder = await mkdtemp(join(tmpdir(), "auto-views-"));
if (SHOTS) await mkdir(SHOTS, { recursive: true });
const chosen = process.argv.slice(2);
const servers = (await exampleServers(folder)).filter(
  ({ name }) => chosen.length === 0 || chosen.includes(name),
);
const proxies = new Map<string, Awaited<ReturnType<typeof openProxy>>>();
for (const { name, args, env = {} } of servers) {
  proxies.set(name, await openProxy(join(BIN, `mcp-server-${name}`), args, { env }));
}
const handlers = [...proxies].map(([name, proxy]): [string, RequestListener] => {
  const handler = toNodeHandler(createMcpHandler(proxy.build));
  return [name, (request, response) => void handler(request as never, response)];
});
const served = await serve(new Map(handlers));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});

let failed = 0;
let passed = 0;
for (const { name, calls } of servers) {
  for (const call of calls) {
    try {
      await check(browser, served.address, name, call);
      passed++;
    } catch (error) {
      failed++;
      console.error(`  ${name} ${call.tool}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
await browser.close();
served.close();
for (const proxy of proxies.values()) await proxy.close();
for (const server of servers) {
  await checkStdio(server).catch((error) => {
    failed++;
    console.error(`  ${server.name} over stdio: ${error}`);
  });
}
await rm(folder, { recursive: true, force: true });
console.log(`auto views: ${passed} calls shown, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
