// A server without any SDK, for what no SDK would do.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as it arrived. */
export interface RawRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** The body, if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it sent.
  message: any;
  response: ServerResponse;
  socket: Socket;
}

/** A raw server at an address. */
export interface RawServer extends AsyncDisposable {
  url: URL;
  port: number;
  requests: RawRequest[];
  /** Connections that were made, in all. */
  connections: number;
}

/** Serves `answer` on a port of this machine. */
export async function serveRaw(
  answer: (request: RawRequest) => unknown,
  { port = 0, host = "127.0.0.1" }: { port?: number; host?: string } = {},
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const http = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const { method = "", url = "", headers, socket } = incoming;
    const request = { method, path: url, headers, body, message: parsed(body), response, socket };
    requests.push(request);
    await answer(request);
  });
  const server: RawServer = {
    url: new URL("http://localhost"),
    port: 0,
    requests,
    connections: 0,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  http.on("connection", () => server.connections++);
  await new Promise<void>((resolve) => http.listen(port, host, resolve));
  server.port = (http.address() as AddressInfo).port;
  server.url = new URL(`http://${host}:${server.port}/mcp`);
  return server;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Answers with JSON text. */
export function sendJson(response: ServerResponse, text: string, status = 200, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

/** Begins an event stream; gives a function that sends one message. */
export function openStream(response: ServerResponse, headers = {}): (text: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers }).flushHeaders();
  return (text) => response.write(`event: message\ndata: ${text}\n\n`);
}
