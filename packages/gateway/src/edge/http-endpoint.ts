// Streamable HTTP at /servers/{id}/mcp: one request, one response, or a stream of events if the server sends
// notifications first. Also the routes for a Host's page: opening Views, and giving and revoking grants.

import type { ViewIdentity } from "@vitrine/sandbox";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { hashOf } from "../crypto/stable-hash.ts";
import { type Refusal, refuse, statusOf, toErrorFrame } from "../errors/refusal.ts";
import type { ProtectedResources } from "../identity/protected-resources.ts";
import type { createAdmission, RejectedAttempt } from "../policy/admission.ts";
import { createExchange } from "../policy/exchange.ts";
import type { Grants } from "../policy/grants.ts";
import type { Pipeline, Recorder } from "../policy/pipeline.ts";
import { toolHashOf } from "../policy/tool-definition.ts";
import type { Traffic } from "../policy/traffic.ts";
import type { Views } from "../policy/view-opener.ts";
import { withoutBasePath } from "./base-path.ts";
import type { ClientAddresses } from "./client-address.ts";
import { type ConnectionGuard, REQUEST_TIMES, timeouts } from "./connection-guard.ts";
import {
  COMBINED_PATH,
  createHttpAdmission,
  declaredLength,
  discardBody,
  sendRefusal,
} from "./http-admission.ts";
import { messageHandler, refuseSession } from "./message-handler.ts";

/** The options of `createHttpEndpoint`. */
export interface HttpEndpointOptions {
  admission: ReturnType<typeof createAdmission>;
  pipeline: Pipeline;
  views: Views;
  grants: Grants;
  traffic: Traffic;
  /** Maximum bytes of a request body. */
  bodyLimit: number;
  connections: ConnectionGuard;
  /** The path of the public address. */
  basePath?: string | undefined;
  resources?: ProtectedResources | undefined;
  addresses?: ClientAddresses | undefined;
  /** Issues credentials for the Sandbox that runs next to the gateway. */
  sandbox?: SandboxCredentials | undefined;
  /** Milliseconds in which a request must arrive. */
  requestTime?: number | undefined;
  origins: readonly string[];
  onRejected?: ((who: RejectedAttempt) => void) | undefined;
  recorder: Pick<Recorder, "refused">;
}

/** The part of a Sandbox that issues credentials. */
export interface SandboxCredentials {
  entrance: string;
  issue(identity: ViewIdentity, options: { host?: string }): Promise<string>;
}

const NOTHING_HERE = refuse(
  "unknown-server",
  "There is nothing at this address. Use /servers/{id}/mcp.",
);
const NO_SANDBOX = refuse("unknown-server", "This gateway doesn't run a sandbox.");
const LONGEST_URI = 2048;
const LONGEST_NAME = 256;
const ALLOWED_HEADERS =
  "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, vitrine-view";

/** Creates the HTTP endpoint. */
export function createHttpEndpoint(options: HttpEndpointOptions): FastifyInstance {
  const { pipeline, views, grants, bodyLimit } = options;
  const request = options.requestTime ?? REQUEST_TIMES.request;
  const times = timeouts({ ...REQUEST_TIMES, request });
  const app = fastify({
    bodyLimit,
    requestTimeout: request,
    http: times,
    routerOptions: { maxParamLength: 128 },
    forceCloseConnections: "idle",
    // The gateway refuses late requests itself (`http-drain.ts`).
    return503OnClosing: false,
    trustProxy: (address) => options.addresses?.isProxy(address) ?? false,
    rewriteUrl: ({ url = "/" }) => withoutBasePath(url, options.basePath ?? ""),
  });
  options.connections.watch(app.server);
  const { admit, admitted, turn, respond } = createHttpAdmission(options);
  const origins = new Set(options.origins);

  // Bodies stay text, because the gateway has its own message parser, which preserves large numbers.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-site",
      vary: "origin",
    });
    const { origin } = request.headers;
    if (origin && origins.has(origin)) {
      reply.header("access-control-allow-origin", origin);
      reply.header("access-control-expose-headers", "retry-after, www-authenticate");
    }
    // A body is only read after admission. Public routes have none.
    const isRead = request.method === "POST" && !request.is404;
    if (isRead || declaredLength(request) === 0) done();
    else if (request.is404) sendRefusal(discardBody(request, reply), NOTHING_HERE);
    else
      sendRefusal(
        discardBody(request, reply),
        refuse("too-large", "This address doesn't accept a request body."),
      );
  });
  app.addHook("onSend", async (request, reply, payload) => respond(request, reply, payload));
  app.setErrorHandler((error: { statusCode?: number; code?: string }, request, reply) => {
    const refusal = explainFailure(error);
    return discardBody(request, reply)
      .code(statusOf(refusal.code))
      .type("application/json")
      .send(toErrorFrame(null, refusal));
  });
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, NOTHING_HERE));

  /** Only the user's own page may do this. A View's ticket isn't enough. */
  const admitUser = async (request: FastifyRequest, reply: FastifyReply) => {
    const refused = await admit(request, reply);
    if (refused || admitted(request).caller.party === "model") return refused;
    const refusal = refuse(
      "unauthenticated",
      "A view's ticket isn't accepted here. Send the user's token.",
    );
    return sendRefusal(discardBody(request, reply), refusal);
  };

  const answerPreflight = async (request: FastifyRequest, reply: FastifyReply) => {
    const isKnown = origins.has(`${request.headers.origin}`);
    if (isKnown) {
      reply.header("access-control-allow-methods", "POST, GET, DELETE");
      reply.header("access-control-allow-headers", ALLOWED_HEADERS);
      reply.header("access-control-max-age", "600");
    }
    return reply.code(isKnown ? 204 : 403).send();
  };
  for (const path of ["/servers/:id/*", COMBINED_PATH]) app.options(path, answerPreflight);

  app.route({ method: ["GET", "DELETE"], url: "/servers/:id/mcp", handler: refuseSession });

  const receive = messageHandler({ pipeline, admitted, respond });
  app.post("/servers/:id/mcp", { onRequest: admit, preHandler: turn }, receive);

  app.post(
    "/servers/:id/views",
    { onRequest: admitUser, preHandler: turn },
    async (request, reply) => {
      const { resource, approve } = readBody(request.body);
      const opened = await views.open(
        { ...admitted(request), signal: AbortSignal.timeout(30_000) },
        { resource: `${resource}`, approve: typeof approve === "string" ? approve : undefined },
      );
      if ("code" in opened) return sendRefusal(reply, opened, undefined, 409);
      return reply.send({
        ticket: opened.ticket,
        expires: opened.claims.exp * 1000,
        html: opened.html,
        htmlHash: opened.claims.htmlHash,
        meta: opened.meta,
        tools: opened.tools,
        capabilities: opened.capabilities,
      });
    },
  );

  app.post(
    "/servers/:id/sandbox-credential",
    { onRequest: admitUser, preHandler: turn },
    async (request, reply) => {
      const { sandbox } = options;
      const { resource } = readBody(request.body);
      if (!sandbox) return sendRefusal(reply, NO_SANDBOX);
      if (typeof resource !== "string" || resource.length > LONGEST_URI) {
        return sendRefusal(reply, refuse("malformed", "resource must be a ui:// address."));
      }
      // The gateway knows the user. The page's claim only determines the resource.
      const { caller, server } = admitted(request);
      const { tenant, user } = caller;
      const { origin } = request.headers;
      const credential = await sandbox.issue(
        { tenant, user, server: server.id, resource },
        origin === undefined ? {} : { host: origin },
      );
      return reply.send({ entrance: sandbox.entrance, credential });
    },
  );

  app.post(
    "/servers/:id/grants",
    { onRequest: admitUser, preHandler: turn },
    async (request, reply) => {
      const { caller, server } = admitted(request);
      const { tool, scope, arguments: given } = readBody(request.body);
      const tools = await server.catalogue.tools(caller);
      // A policy may want approval for a call of the model too.
      const ofView = tools.callable(`${tool}`, { ...caller, party: "view" });
      const found = "tool" in ofView ? ofView : tools.callable(`${tool}`, caller);
      if ("refusal" in found) return sendRefusal(reply, found.refusal, undefined, 404);
      await grants.give(caller, {
        server: server.id,
        tool: found.tool.name,
        scope: scope === "always" ? "always" : "once",
        argumentsHash: hashOf(given ?? {}),
        toolHash: toolHashOf(found.tool),
      });
      return reply.code(204).send();
    },
  );

  // A call that the user or the page's host didn't allow never reaches the pipeline, but it belongs in the log.
  app.post(
    "/servers/:id/refusals",
    { onRequest: admitUser, preHandler: turn },
    async (request, reply) => {
      const { tool } = readBody(request.body);
      if (typeof tool !== "string" || tool === "" || tool.length > LONGEST_NAME) {
        return sendRefusal(reply, refuse("malformed", "tool must be the name of a tool."));
      }
      const exchange = createExchange(admitted(request), {
        ...{ carrier: "http", message: undefined, size: `${request.body}`.length },
        ...{ headers: request.headers, signal: AbortSignal.timeout(30_000), notify: () => {} },
      });
      exchange.frame = { jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: tool } };
      const refusal = refuse("consent-required", "The page's host or its user declined the call.");
      await options.recorder.refused(exchange, "host", refusal);
      return reply.code(204).send();
    },
  );

  app.delete(
    "/servers/:id/grants/:tool",
    { onRequest: admitUser, preHandler: turn },
    async (request, reply) => {
      const { tool } = request.params as { tool: string };
      const { caller, server } = admitted(request);
      await grants.revoke(caller, { server: server.id, tool });
      return reply.code(204).send();
    },
  );

  return app;
}

function readBody(body: unknown): Record<string, unknown> {
  try {
    return Object(JSON.parse(`${body}`)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function explainFailure({ statusCode, code }: { statusCode?: number; code?: string }): Refusal {
  if (statusCode === 413) return refuse("too-large", "The body is too large. Send less.");
  if (statusCode === 415) return refuse("not-json", "Send the content type application/json.");
  if (code?.startsWith("FST_ERR_CTP") || statusCode === 400) {
    return refuse("malformed", "The request is malformed. Send valid JSON.");
  }
  if (code === "full" || code === "unavailable") {
    return refuse(
      "busy",
      "The change can't be stored at the moment, so it wasn't made. Try again later.",
    );
  }
  return refuse(
    "internal",
    "The gateway failed to handle the request. The operator finds the cause in its log.",
  );
}
