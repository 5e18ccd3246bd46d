import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import type { Duplex } from "node:stream";
import type { Certificate } from "./certificate.ts";
import { cellOfName, type EvidenceLog } from "./evidence-log.ts";

/** One request as the attacker's log keeps it, for checks that look at more than "it came". */
export interface AttackerRequest {
  readonly cell: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly referrer: string | undefined;
}

export interface Attacker {
  readonly httpPort: number;
  readonly tlsPort: number;
  readonly requests: readonly AttackerRequest[];
  close(): void;
}

/** What a path answers, so that each channel gets a body of the type it asks for. */
const BODIES: Record<string, [type: string, body: string]> = {
  "/js": ["text/javascript", "0"],
  "/css": ["text/css", "*{}"],
  "/img": ["image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  "/sse": ["text/event-stream", "data: 1\n\n"],
  // A page that sends JSON-RPC to the page that frames it: the impersonation of catalogue 39 and 46.
  "/speak": ["text/html", speakingPage()],
};

export async function startAttacker(
  certificate: Certificate,
  evidence: EvidenceLog,
): Promise<Attacker> {
  const requests: AttackerRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? "/";
    const cell = cellOfName(request.headers.host);
    requests.push({ cell, path, method: request.method ?? "", referrer: request.headers.referer });
    evidence.note(cell, "http", `${request.method} ${path}`);
    request.resume();
    response.setHeader("access-control-allow-origin", "*");
    const isCacheable = path.startsWith("/cacheable?");
    response.setHeader("cache-control", isCacheable ? "public, max-age=60" : "no-store");
    const redirect = /^\/redirect\?to=(.+)$/.exec(path)?.[1];
    if (redirect) {
      response.writeHead(302, { location: decodeURIComponent(redirect) }).end();
      return;
    }
    const framed = /^\/embed\?url=(.+)$/.exec(path)?.[1];
    if (framed) {
      response.setHeader("content-type", "text/html");
      response.end(embeddingPage(decodeURIComponent(framed)));
      return;
    }
    const [type, body] = BODIES[path.split("?")[0] ?? ""] ?? ["text/html", "<!doctype html>evil"];
    response.setHeader("content-type", type);
    response.end(body);
  };
  const sockets = new Set<Duplex>();
  const accept = (request: IncomingMessage, socket: Duplex) => {
    evidence.note(cellOfName(request.headers.host), "ws", request.url ?? "");
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    acceptWebSocket(request, socket);
  };
  const plain = createServer(listener).on("upgrade", accept);
  const tls = createTlsServer({ ...certificate }, listener).on("upgrade", accept);
  return {
    httpPort: await listen(plain),
    tlsPort: await listen(tls),
    requests,
    close() {
      plain.close();
      plain.closeAllConnections();
      tls.close();
      tls.closeAllConnections();
      // An upgraded connection is no longer the server's to close.
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Binds a server to a free loopback port. */
export function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function acceptWebSocket(request: IncomingMessage, socket: Duplex): void {
  const accept = createHash("sha1")
    .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.on("error", () => socket.destroy());
  // Read to its end, or the end is never noticed; and servers leave their half open until told.
  socket.on("end", () => socket.destroy()).resume();
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
}

function speakingPage(): string {
  const call = `{jsonrpc:"2.0",id:1,method:"tools/call",params:{name:"sent-by-an-outsider",arguments:{}}}`;
  return `<!doctype html><script>for(const w of [parent,parent.parent,top])w.postMessage(${call},"*")</script>`;
}

/** A third-party page around one of our addresses, which records its messages. */
function embeddingPage(url: string): string {
  return `<!doctype html><script>window.received="";addEventListener("message",(e)=>{received+=JSON.stringify(e.data)})</script><iframe src="${url.replaceAll('"', "&quot;")}"></iframe>`;
}
