// Streamable HTTP at /servers/{id}/mcp: one request, one answer; as events if the server has something to
// say before it. Beside it what a Host's page needs: opening Views, giving and taking back grants.

import type { JsonRpcNotification } from "@vitrine/protocol";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Grants } from "../grants.ts";
import { onExpiry } from "../identity/expiry.ts";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { createAdmission, TurnedAway } from "../pipeline/admission.ts";
import { isModernHead } from "../pipeline/links/envelope.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { type Refusal, refuse, statusOf, toErrorFrame } from "../pipeline/refusal.ts";
import type { Traffic } from "../pipeline/traffic.ts";
import { hashOf, toolHashOf } from "../stable-hash.ts";
import { Cancellation } from "../upstreams/cancellation.ts";
import type { Views } from "../views.ts";
import { blank, readMessage } from "./blank-exchange.ts";
import { type ConnectionGuard, REQUEST_TIMES, timeouts } from "./connection-guard.ts";
import { createHttpAdmission, declaredLength, discardBody, sendRefusal } from "./http-admission.ts";

/** What the HTTP carrier is made of. */
export interface HttpCarrierOptions {
  admission: ReturnType<typeof createAdmission>;
  pipeline: Pipeline;
  views: Views;
  grants: Grants;
  traffic: Traffic;
  /** Bytes of a request. */
  bodyLimit: number;
  connections: ConnectionGuard;
  /** Milliseconds for a request to arrive. */
  requestTime?: number | undefined;
  origins: readonly string[];
  onTurnedAway?: ((who: TurnedAway) => void) | undefined;
}

/** Of a server's errors: unknown method, and what is wrong with a request's head or envelope. */
const STATUSES: ReadonlyMap<number, number> = new Map([
  [-32_601, 404],
  [-32_020, 400],
  [-32_021, 400],
  [-32_022, 400],
]);
/** Bytes of events that lie here before their reader counts as lost. */
const UNREAD = 2 ** 20;
const NOTHING_HERE = refuse("unknown-server", "There is nothing here; see /servers/{id}/mcp.");
const ALLOWED_HEADERS =
  "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, vitrine-view";

/** Makes the HTTP side. */
export function createHttpCarrier(options: HttpCarrierOptions): FastifyInstance {
  const { pipeline, views, grants, bodyLimit } = options;
  const request = options.requestTime ?? REQUEST_TIMES.request;
  const times = timeouts({ ...REQUEST_TIMES, request });
  const app = fastify({
    bodyLimit,
    requestTimeout: request,
    http: times,
    routerOptions: { maxParamLength: 128 },
    forceCloseConnections: "idle",
  });
  options.connections.watch(app.server);
  const { admit, admitted, turn, respond } = createHttpAdmission(options);
  const origins = new Set(options.origins);

  // As text: the gateway has one parser for messages, which keeps large numbers.
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
      reply.header("access-control-expose-headers", "retry-after");
    }
    // A body is read for those who were admitted alone; routes for everyone have none.
    const isRead = request.method === "POST" && !request.is404;
    if (isRead || declaredLength(request) === 0) done();
    else if (request.is404) sendRefusal(discardBody(request, reply), NOTHING_HERE);
    else sendRefusal(discardBody(request, reply), refuse("too-large", "No body is read here."));
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

  /** What only the user's own page may do: a View's ticket opens none of it. */
  const admitUser = async (request: FastifyRequest, reply: FastifyReply) => {
    const refused = await admit(request, reply);
    if (refused || admitted(request).caller.party === "model") return refused;
    const refusal = refuse("unauthenticated", "A view may not do this.");
    return sendRefusal(discardBody(request, reply), refusal);
  };

  app.options("/servers/:id/*", async (request, reply) => {
    const isKnown = origins.has(`${request.headers.origin}`);
    if (isKnown) {
      reply.header("access-control-allow-methods", "POST, GET, DELETE");
      reply.header("access-control-allow-headers", ALLOWED_HEADERS);
      reply.header("access-control-max-age", "600");
    }
    return reply.code(isKnown ? 204 : 403).send();
  });

  app.route({
    method: ["GET", "DELETE"],
    url: "/servers/:id/mcp",
    handler: async (_request, reply) =>
      reply
        .code(405)
        .header("allow", "POST")
        .type("application/json")
        .send(toErrorFrame(null, refuse("unknown-method", "Sessions are not kept; send POST."))),
  });

  app.post("/servers/:id/mcp", { onRequest: admit, preHandler: turn }, async (request, reply) => {
    const sender = admitted(request);
    const over = new Cancellation();
    let disarm: () => void = () => {};
    const stream = createStream(reply, () => {
      // A stream may live longer than the token or ticket that opened it.
      disarm = onExpiry(sender.caller.expires, () => over.abort());
    });
    // The answer is nobody's any more once the connection is closed: that is how HTTP cancels.
    reply.raw.once("close", () => reply.raw.writableFinished || over.abort());
    const exchange = blank(sender, {
      carrier: "http",
      ...readMessage(`${request.body ?? ""}`),
      headers: request.headers,
      signal: over,
      notify: stream.notify,
    });
    const answer = await pipeline.run(exchange).finally(() => disarm());
    if (stream.isOpen()) {
      stream.end(answer.text);
      respond(request, reply, answer.text);
      return reply;
    }
    if (answer.refusal) return sendRefusal(reply, answer.refusal, answer.text);
    if (answer.text === undefined) return reply.code(202).send();
    // Since 2026-07-28 some errors have a status of their own; older clients would take it for another's.
    const status = isModernHead(request) && STATUSES.get(answer.errorCode ?? 0);
    return reply
      .code(status || 200)
      .type("application/json")
      .send(answer.text);
  });

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
    "/servers/:id/grants",
    { onRequest: admitUser, preHandler: turn },
    async (request, reply) => {
      const { caller, server } = admitted(request);
      const { tool, scope, arguments: given } = readBody(request.body);
      const tools = await server.catalogue.tools(caller);
      const found = tools.callable(`${tool}`, { ...caller, party: "view" });
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
  if (statusCode === 413) return refuse("too-large", "The body is too large; send less.");
  if (statusCode === 415) return refuse("not-json", "Only application/json is read.");
  if (code?.startsWith("FST_ERR_CTP") || statusCode === 400) {
    return refuse("malformed", "The request cannot be read.");
  }
  if (code === "full" || code === "unavailable") {
    return refuse("busy", "It cannot be stored now, so it is not done; try again later.");
  }
  return refuse("internal", "The gateway failed; its log has the cause.");
}

interface EventStream {
  notify(notification: JsonRpcNotification): void;
  isOpen(): boolean;
  end(text: MessageText | undefined): void;
}

/** Becomes a stream of events with the first thing that is said before the answer. */
function createStream(reply: FastifyReply, onOpen: () => void): EventStream {
  let isOpen = false;
  // The serializer writes one line, so it can't end the event early.
  const write = (text: MessageText): void => {
    reply.raw.write(`event: message\ndata: ${text}\n\n`);
    if (reply.raw.writableLength > UNREAD) reply.raw.destroy();
  };
  return {
    isOpen: () => isOpen,
    notify: (notification) => {
      if (!isOpen) {
        isOpen = true;
        onOpen();
        reply.hijack();
        const headers = reply.getHeaders() as Record<string, string>;
        reply.raw.writeHead(200, {
          ...headers,
          "content-type": "text/event-stream",
          "cache-control": "no-cache, no-transform",
          "x-accel-buffering": "no",
        });
      }
      write(serialize(notification));
    },
    end: (text) => {
      if (text !== undefined) write(text);
      reply.raw.end();
    },
  };
}
