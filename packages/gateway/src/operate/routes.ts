// What the HTTP side answers beside MCP: health, and the pages of per-user log-ins.

import type { Audit } from "../audit/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Gateway } from "../gateway.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import { addCredentialRoutes } from "../identity/credentials/routes.ts";
import type { Authenticate } from "../identity/user-token.ts";
import type { Tickets } from "../identity/view-ticket.ts";
import { createAdmission } from "../pipeline/admission.ts";
import type { ServerBinding } from "../servers.ts";
import type { Health } from "./health.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { sendReadiness } from "./operator-server.ts";
import type { ServerSet } from "./server-set.ts";

/** What the routes need. */
export interface Routing {
  gateway: Gateway;
  audit: Audit;
  config: GatewayConfig;
  names: ReadonlySet<string>;
  servers: ServerSet;
  health: Health;
  metrics: Metrics;
  credentials: Credentials | undefined;
  authenticate: Authenticate;
  tickets: Tickets;
  log: Log;
}

/** Adds them, before the gateway listens. */
export function addRoutes(parts: Routing): void {
  const { gateway, config, names, servers, health, metrics, credentials, log } = parts;
  const { http } = gateway;
  http.addHook("onResponse", async (request, { statusCode }) => {
    metrics.answered(statusCode);
    // Those that were turned away at the door; what became of the others the witnesses tell.
    if (statusCode === 401 || statusCode === 403 || statusCode === 421) {
      log.info(
        { status: statusCode, method: request.method, path: pathOf(request.url) },
        "turned away",
      );
    }
  });
  http.addHook("onError", async (request, _reply, error) => {
    if ((error.statusCode ?? 500) < 500) return;
    log.error({ path: pathOf(request.url), cause: `${error}` }, "request failed");
  });
  // For a load balancer, by whatever name it calls; nothing is said but yes or no.
  http.get("/healthz", async (_request, reply) => reply.type("text/plain").send("ok\n"));
  http.get("/readyz", async (_request, reply) => {
    reply.hijack();
    await sendReadiness(reply.raw, health);
  });
  if (!credentials) return;
  const { authenticate, tickets } = parts;
  const admission = createAdmission({
    hosts: names,
    origins: config.origins,
    authenticate,
    tickets,
    // Only whether it is there matters here: nothing is sent to it.
    servers: {
      get: (id) => (servers.has(id) ? ({ id } as ServerBinding) : undefined),
    },
  });
  addCredentialRoutes(http, {
    credentials,
    admission,
    servers: { get: (id) => servers.oauth(id) },
    onChange: (action, actor, server) =>
      parts.audit.record({ event: "consent", actor, server, detail: { action } }),
    onFailure: ({ code, message }, server) => log.warn({ server, code }, message),
  });
}

/** Without the query, which may hold a code. */
function pathOf(url: string): string {
  return (url.split("?")[0] ?? "").slice(0, 200);
}
