// Runs the example of a chat: its page, built with Vite, its routes, a sandbox, the server "trips", and a
// scripted model unless MODEL_URL names a real one. With --check it drives the page in Chromium and ends.

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { build } from "vite";
import { buildTrips, defineTrips, TripEvents } from "./trips.ts";
import { serveTrips } from "./trips-site.ts";
import { buildViewPage } from "./view-page.ts";

type Route = (request: Request) => Response | Promise<Response>;

/** An example. */
export interface ChatExample {
  /** The folder with its `index.html`. */
  folder: URL;
  /** Its routes by path. */
  routes(addresses: {
    model: string;
    trips: string;
    log(event: object): void;
  }): Promise<Record<string, Route>>;
}

const isSource = process.execArgv.some((flag) => flag.includes("@vitrine/source"));

/** Runs the example until it is interrupted, or until its check has ended. */
export async function runChatExample({ folder, routes }: ChatExample): Promise<void> {
  const isCheck = process.argv.includes("--check");
  const events = new TripEvents();
  const app = defineTrips(await buildViewPage(), events);
  const trips = await serveTrips(() => buildTrips(app, events));
  const model = process.env.MODEL_URL ? undefined : await startModel();
  const handlers = await routes({
    model: process.env.MODEL_URL ?? model?.url ?? "",
    trips: trips.url,
    log: (event) => {
      if (!isCheck) console.info(JSON.stringify(event));
    },
  });

  let files = new Map<string, string | Uint8Array>();
  const site = await listen(
    isCheck ? 0 : Number(process.env.PORT ?? 8080),
    getRequestListener(async (request) => {
      const { pathname } = new URL(request.url);
      const path = pathname === "/" ? "/index.html" : pathname;
      return handlers[path]?.(request) ?? fileResponse(path, files.get(path));
    }),
  );
  const url = `http://app.localhost:${portOf(site)}`;
  let serveViews: RequestListener = () => {};
  const views = await listen(0, (request, response) => serveViews(request, response));
  const sandbox = createSandbox({
    origins: {
      tier: "localhost",
      port: portOf(views),
      hosts: [url],
      key: "for an example only; yours is random and secret",
    },
  });
  serveViews = createNodeListener(sandbox);
  files = await buildPage(folder, `${sandbox.origins.proxy}/`);

  const stop = async (): Promise<void> => {
    for (const server of [site, views]) server.close().closeAllConnections();
    sandbox.close();
    await Promise.all([trips.close(), model?.close()]);
  };
  if (!isCheck) {
    console.log(`${url}\nTry "Plan a trip". Stop with Ctrl+C.`);
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  } else {
    const isShown = await check(url);
    console.log(
      `${folder.pathname.split("/").at(-2)}: ${isShown ? "the view shows the trip" : "the view is missing"}`,
    );
    process.exitCode = isShown ? 0 : 1;
  }
  await stop();
  // Connections to MCP servers would keep the process alive.
  process.exit();
}

async function startModel(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = `../../../packages/cli/${isSource ? "src" : "dist"}/chat/scripted-model`;
  const { startScriptedModel } = await import(
    new URL(`${folder}/scripted-model.${isSource ? "ts" : "js"}`, import.meta.url).href
  );
  return startScriptedModel({
    script: fileURLToPath(new URL("trips-script.json", import.meta.url)),
  });
}

async function buildPage(folder: URL, sandbox: string): Promise<Map<string, string | Uint8Array>> {
  const built = await build({
    root: fileURLToPath(folder),
    configFile: false,
    logLevel: "error",
    resolve: { conditions: [...(isSource ? ["@vitrine/source"] : []), "module", "browser"] },
    define: { "import.meta.env.VITE_SANDBOX": JSON.stringify(sandbox) },
    build: { write: false, target: "es2022" },
  });
  const outputs = "output" in built ? built.output : [];
  return new Map(
    outputs.map((file) => [`/${file.fileName}`, file.type === "chunk" ? file.code : file.source]),
  );
}

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
};

function fileResponse(path: string, file: string | Uint8Array | undefined): Response {
  if (file === undefined) return new Response(null, { status: 404 });
  const type = TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  return new Response(typeof file === "string" ? file : Buffer.from(file), {
    headers: { "content-type": type },
  });
}

/** Whether the page shows the view of a trip that the model planned. */
async function check(url: string): Promise<boolean> {
  const { chromium } = await import("playwright");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.locator("[data-testid=composer]").fill("Plan a trip");
    await page.locator("[data-testid=send]").click();
    for (const until = Date.now() + 30_000; Date.now() < until; await page.waitForTimeout(200)) {
      for (const frame of page.frames()) {
        const result = frame.locator("#result");
        if (
          /3 days in Oslo cost/.test(
            (await result.textContent({ timeout: 50 }).catch(() => "")) ?? "",
          )
        )
          return true;
      }
    }
    return false;
  } finally {
    await browser.close();
  }
}

async function listen(port: number, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
