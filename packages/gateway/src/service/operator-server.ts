// A separate port for operators: metrics and health.

import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectionGuard, timeouts } from "../edge/connection-guard.ts";
import type { Health } from "../observability/health.ts";
import type { Metrics } from "../observability/metrics.ts";
import { OperatorError } from "./operator-error.ts";

/** A listening server. */
export interface Listening {
  port: number;
  close(): Promise<void>;
}

/** Opens the operators' port. */
export async function openOperatorServer(
  { host, port }: { host: string; port: number },
  {
    health,
    metrics,
    token,
  }: {
    health: Health;
    metrics: Metrics;
    /** The current token. */
    token(): string | undefined;
  },
): Promise<Listening> {
  const mayRead = (request: IncomingMessage): boolean => {
    const expected = token();
    // Without a token, only requests to the gateway's own name are accepted, which stops DNS rebinding by a
    // page in a browser.
    return expected === undefined ? isOwnName(request) : isToken(request, expected);
  };
  const sendMetrics = async (response: ServerResponse): Promise<void> => {
    response.setHeader("content-type", metrics.contentType);
    response.end(await metrics.text());
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = `${request.url}`.split("?");
    if (request.method !== "GET") send(response, 405, "Send GET.\n");
    else if (path === "/healthz") send(response, 200, "ok\n");
    else if (path === "/readyz") await sendReadiness(response, health);
    else if (path !== "/metrics")
      send(response, 404, "Not found. Use /healthz, /readyz or /metrics.\n");
    else if (mayRead(request)) await sendMetrics(response);
    else send(response, token() === undefined ? 421 : 401, "Refused.\n");
  };
  const server = createServer(timeouts(), (request, response) => {
    answer(request, response).catch(() =>
      send(response, 500, "The request failed. See the gateway's log.\n"),
    );
  });
  return listen(server, { host, port, what: "operator.port" });
}

/** Sends whether the gateway is ready, or why not. */
export async function sendReadiness(response: ServerResponse, health: Health): Promise<void> {
  const problems = await health.problems();
  send(response, problems.length > 0 ? 503 : 200, `${problems.join("\n") || "ready"}\n`);
}

/** Listens with a limited number of connections. Throws an `OperatorError` if the address can't be used. */
export async function listen(
  server: ReturnType<typeof createServer>,
  { host, port, what }: { host: string; port: number; what: string },
): Promise<Listening> {
  new ConnectionGuard().watch(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(portError(error, { host, port, what })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The error for an address that can't be used. */
export function portError(
  error: NodeJS.ErrnoException,
  { host, port, what }: { host: string; port: number; what: string },
): OperatorError {
  const why: Record<string, string> = {
    EADDRINUSE: "another program is using it",
    EACCES: "this user may not listen there",
    EADDRNOTAVAIL: "this machine doesn't have this address",
    ENOTFOUND: "the host name can't be resolved",
  };
  const reason = why[`${error.code}`] ?? error.message;
  return new OperatorError("port", `Can't listen on ${host}:${port}: ${reason}. Change ${what}.`);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}

function isToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "");
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether the request used an address or `localhost`. A page in a browser can only get here by another name. */
function isOwnName({ headers }: IncomingMessage): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(headers.host ?? "");
}
