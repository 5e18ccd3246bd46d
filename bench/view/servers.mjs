// Two servers on loopback. Their names end in different labels under `localhost`, which browsers
// count as different sites: Host page and sandbox get a process each, as in production.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { bundle } from "../bundles.mjs";

const HTML = "text/html; charset=utf-8";

/** Starts both; `viewPages` is a map from name to document. */
export async function startServers({ viewPages, exchange, readCpu }) {
  const hostPage = await readPage("host.html");
  const hostScript = await bundle('import "./view/pages/host.ts"');
  const relayPage = await readPage("relay.html");

  const host = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host.localhost");
    if (pathname === "/") send(response, HTML, hostPage);
    else if (pathname === "/host.js") send(response, "text/javascript", hostScript);
    else if (pathname === "/cpu") send(response, "text/plain", String(readCpu()));
    else if (pathname === "/turn") {
      const turn = await exchange(JSON.parse(await readBody(request)));
      send(response, "application/json", JSON.stringify(turn));
    } else if (viewPages.has(pathname)) send(response, "text/plain", viewPages.get(pathname));
    else response.writeHead(404).end();
  });
  const sandbox = await listen((_request, response) => {
    // Cacheable, as a relay should be: its fetch would only add the same noise to every variant.
    response.setHeader("cache-control", "max-age=3600");
    send(response, HTML, relayPage);
  });
  return {
    hostUrl: `http://host.localhost:${host.port}/`,
    relayUrl: `http://sandbox-a.localhost:${sandbox.port}/`,
    close: () => Promise.all([host.close(), sandbox.close()]),
  };
}

function readPage(name) {
  return readFile(new URL(`pages/${name}`, import.meta.url), "utf8");
}

/** Answers with a body of that type. */
export function send(response, type, body) {
  response.setHeader("content-type", type);
  response.end(body);
}

/** The text that a request brought. */
export async function readBody(request) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

/** Starts a server on a free port of loopback. */
export function listen(answer) {
  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ port: server.address().port, close });
    });
  });
}
