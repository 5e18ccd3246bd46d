// HTTP routes besides MCP: health, and the pages of per-user logins.

import type { Audit } from "../audit/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import { addCredentialRoutes } from "../edge/login-routes.ts";
import type { Gateway } from "../gateway.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import type { Authenticate } from "../identity/user-token.ts";
import type { Tickets } from "../identity/view-ticket.ts";
import type { Health } from "../observability/health.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { createAdmission } from "../policy/admission.ts";
import type { ServerBinding } from "../policy/server-binding.ts";
import { sendReadiness } from "./operator-server.ts";
import type { ServerSet } from "./server-set.ts";

/** The parts that the routes need. */
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

/** Adds the routes. Call it before the gateway listens. */
export function addRoutes(parts: Routing): void {
  const { gateway, config, names, servers, health, metrics, credentials, log } = parts;
  const { http } = gateway;
  http.addHook("onResponse", async (_request, { statusCode }) => {
    metrics.answered(statusCode);
  });
  http.addHook("onError", async (request, _reply, error) => {
    if ((error.statusCode ?? 500) < 500) return;
    log.error({ path: pathOf(request.url), cause: `${error}` }, "request failed");
  });
  // For a load balancer, under any host name. The response is only yes or no.
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
    resources: gateway.resources,
    tickets,
    revocations: gateway.revocations,
    // Only checks that the server exists; nothing is sent to it.
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

/** Without the query, which may contain a code. */
function pathOf(url: string): string {
  return (url.split("?")[0] ?? "").slice(0, 200);
}
