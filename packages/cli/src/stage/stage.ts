// The host's page and the sandbox, each on its own site below `localhost`, as strict as production:
// the sandbox of tier `localhost` builds the policy from a view's declarations and grants nothing
// more.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { Peer } from "@vitrine/protocol";
import {
  createSandbox,
  type OperatorPolicy,
  type Sandbox,
  type StableDomain,
} from "@vitrine/sandbox";
import { createNodeListener, SANDBOX_SERVER_OPTIONS } from "@vitrine/sandbox/node";
import { type WebSocket, WebSocketServer } from "ws";
import { pageFiles } from "#pages";
import { Failure } from "../failure.ts";
import { withOuterFrames } from "./outer-frames.ts";
import { answerCallback, answerPage, type PageApi, type PageCallback } from "./page-api.ts";
import { type ReportedPlace, withPromptReports } from "./prompt-reports.ts";
import { socketChannel } from "./socket-channel.ts";

const STAGE_BYTES = 2 ** 29;

/** The page to show, and how it connects. */
export interface StageOptions {
  /** The folder of `pages/`. */
  page: string;
  /** Port of the page; any free one by default. */
  port?: number;
  /** The page's secret; a new one by default. */
  key?: string;
  /** Called with a peer for each page that connects; register handlers at once. */
  onPage?(peer: Peer): void;
  /** Answers the page's requests below `/api/`. */
  api?: PageApi;
  /** Answers a visit of `/callback`, to which another site sends the user back; it has no secret. */
  callback?: PageCallback;
  /** Permissions in addition to the strict policy. */
  policy?: OperatorPolicy;
  /** Origins that outlive a version of a view; the list may grow. */
  stableDomains?: readonly StableDomain[];
  /** Origins of pages that may show this page in a frame; none by default. */
  embedders?: readonly string[];
  /** Called with the location of a violation, before the sandbox reports the violation. */
  onPlace?(place: ReportedPlace): void;
}

/** A page that waits for a browser. */
export interface Stage {
  /** The page's address, with the secret that it needs to connect to this process. */
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly sandbox: Sandbox;
  /** Lets the page show a page of this origin in a frame, from its next load. */
  allowFrame(origin: string): void;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Opens a stage on loopback. */
export async function openStage({
  page,
  port = 0,
  key = randomBytes(32).toString("base64url"),
  onPage,
  onPlace,
  api,
  callback,
  policy: granted,
  stableDomains = [],
  embedders = [],
}: StageOptions): Promise<Stage> {
  const files = await pageFiles(page);
  let serveViews: RequestListener = () => {};
  const views = await listen(0, (request, response) => serveViews(request, response));
  let pagePolicy = (): string => "";
  const host = await listen(port, (request, response) => {
    const { url = "/" } = request;
    if (api && url.startsWith("/api/")) {
      void answerPage(request, response, { origin, key, api });
      return;
    }
    if (callback && url.startsWith("/callback?")) {
      void answerCallback(request, response, callback);
      return;
    }
    // Not parsed as a URL: a target such as `//` is invalid, and would throw.
    const path = url.slice(1).split("?")[0] || "index.html";
    const file = files.get(path);
    response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
    response.setHeader("content-security-policy", pagePolicy());
    response.setHeader("cache-control", "no-store");
    response.setHeader("referrer-policy", "no-referrer");
    // A browser would look up the hosts of links before anybody clicks them.
    response.setHeader("x-dns-prefetch-control", "off");
    response.statusCode = file ? 200 : 404;
    response.end(file ?? "File not found.");
  }).catch(async (error: unknown) => {
    await stop(views.server);
    throw error;
  });
  const origin = `http://vitrine.localhost:${host.port}`;
  const sandbox = createSandbox({
    origins: { tier: "localhost", port: views.port, hosts: [origin], key },
    stableDomains,
    // For one developer: `check` shows a view of several megabytes some twenty times.
    limits: { addressBytes: STAGE_BYTES, anonymousBytes: STAGE_BYTES },
    ...(granted && { policy: granted }),
  });
  serveViews = createNodeListener(withOuterFrames(withPromptReports(sandbox, onPlace), embedders));
  const framed: string[] = [];
  const ancestors = embedders.length > 0 ? embedders.join(" ") : "'none'";
  // Inline styles: React writes `style` attributes, and the host's surface has its own sheet.
  pagePolicy = () =>
    `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws://vitrine.localhost:${host.port}; frame-src ${[sandbox.origins.proxy, `http://*.localhost:${views.port}`, ...framed].join(" ")}; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`;
  const sockets = onPage && attendPages(host.server, { origin, key, onPage });
  const proxy = encodeURIComponent(`${sandbox.origins.proxy}/`);
  return {
    origin,
    port: host.port,
    url: `${origin}/#key=${key}&sandbox=${proxy}`,
    sandbox,
    allowFrame: (allowed) => framed.push(allowed),
    close: async () => {
      for (const socket of sockets?.clients ?? []) socket.terminate();
      sockets?.close();
      sandbox.close();
      await Promise.all([host.server, views.server].map(stop));
    },
  };
}

/**
 * Accepts only the page's socket: any site that the user visits could open one to this port, and it
 * leads to a server that runs their programs. So the origin and the secret must be right.
 */
function attendPages(
  server: Server,
  { origin, key, onPage }: { origin: string; key: string; onPage(peer: Peer): void },
): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 });
  server.on("upgrade", (request, socket, head) => {
    const isOurs = request.headers.origin === origin && request.url === `/link?key=${key}`;
    // A client may reset the connection at any moment, and an unhandled error would end the process.
    socket.on("error", () => socket.destroy());
    if (!isOurs) {
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened: WebSocket) => {
      opened.on("error", () => opened.terminate());
      const peer = new Peer();
      onPage(peer);
      peer.connect(socketChannel(opened as never));
    });
  });
  return sockets;
}

async function listen(
  port: number,
  handler: RequestListener,
): Promise<{ server: Server; port: number }> {
  const server = createServer(SANDBOX_SERVER_OPTIONS, handler);
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    throw new Failure(
      "port-taken",
      `Port ${port} can't be used: ${(error as Error).message}. Choose another one with --port.`,
      { cause: error },
    );
  }
  return { server, port: (server.address() as AddressInfo).port };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close().closeAllConnections();
  await closed;
}
