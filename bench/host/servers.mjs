// Three servers on loopback: the Host's page, our Sandbox, and a page in the manner of the official
// example. Every name below `localhost` is a site of its own, so each gets a process of its own.

import { readFile } from "node:fs/promises";
import { createSandbox } from "@vitrine/sandbox";
import { createNodeListener } from "@vitrine/sandbox/node";
import { bundleChunks, bundlePage } from "../bundles.mjs";
import { listen, readBody, send } from "../view/servers.mjs";
import { buildViewPage } from "../view/view-page.mjs";
import { VARIANTS } from "./variants.mjs";

const HTML = "text/html; charset=utf-8";
const KEY = "a key of the bench, long enough for it";
// As the official example serves it: its looser policy, and never from a cache.
const OFFICIAL_HEADERS = {
  "content-security-policy":
    "default-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'self' 'unsafe-inline' blob: data:; img-src 'self' data: blob:; font-src 'self' data: blob:; media-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; frame-src 'none'; object-src 'none'; base-uri 'none'",
  "cache-control": "no-cache, no-store, must-revalidate",
};
// A round trip of the bench is faster than any user: the limits stay, their numbers do not.
const RELAY_LIMITS = { rate: 1e6, burst: 1e6 };

/** Starts all; `pages` answers for the pages that ask for work. */
export async function startServers(pages) {
  const files = await buildFiles();
  let sandbox;
  const host = await listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://host.localhost");
    const page = searchParams.get("page");
    if (pathname === "/turn") {
      const turn = await pages.exchange(page, JSON.parse(await readBody(request)));
      send(response, "application/json", JSON.stringify(turn));
    } else if (pathname === "/register") {
      const registered = await sandbox.register(JSON.parse(await readBody(request)));
      send(response, "application/json", JSON.stringify(registered));
    } else if (pathname === "/addresses") {
      send(response, "application/json", JSON.stringify(addresses));
    } else if (pathname === "/cpu") send(response, "text/plain", String(pages.readCpu(page)));
    else if (files.has(pathname)) send(response, ...files.get(pathname));
    else response.writeHead(404).end();
  });
  const ours = await listen((request, response) => {
    createNodeListener(sandbox)(request, response);
  });
  const others = await listen((request, response) => {
    const { pathname } = new URL(request.url, "http://sandbox.localhost");
    if (pathname === "/official") response.setHeaders(new Map(Object.entries(OFFICIAL_HEADERS)));
    send(response, ...(files.get(pathname) ?? [HTML, ""]));
  });
  const hostUrl = `http://host.localhost:${host.port}`;
  sandbox = createSandbox({
    origins: { tier: "localhost", port: ours.port, hosts: [hostUrl], key: KEY },
    relay: RELAY_LIMITS,
  });
  const addresses = {
    official: `http://official.localhost:${others.port}/official`,
    lean: `http://lean.localhost:${others.port}/lean`,
    port: `http://port.localhost:${others.port}/port`,
    entrance: `http://proxy.localhost:${ours.port}/`,
  };
  return {
    hostUrl: `${hostUrl}/`,
    close: async () => {
      await Promise.all([host, ours, others].map((server) => server.close()));
      sandbox.close();
    },
  };
}

/** Everything that is served as it is: path → type and text. */
async function buildFiles() {
  const files = new Map([
    ["/", [HTML, await readPage("../view/pages/host.html")]],
    ["/official", [HTML, await bundlePage("official-sandbox", "host/pages/")]],
    ["/lean", [HTML, await readPage("../view/pages/relay.html")]],
    ["/port", [HTML, await readPage("pages/port-relay.html")]],
  ]);
  for (const { view } of Object.values(VARIANTS)) {
    const path = `/views/${view}`;
    if (!files.has(path)) files.set(path, ["text/plain", await buildViewPage(view)]);
  }
  const { first, later } = await bundleChunks('import "./host/pages/host.ts"');
  const [entry] = first.values();
  files.set("/host.js", ["text/javascript", entry]);
  for (const [name, text] of [...first, ...later]) files.set(`/${name}`, ["text/javascript", text]);
  return files;
}

function readPage(path) {
  return readFile(new URL(path, import.meta.url), "utf8");
}
