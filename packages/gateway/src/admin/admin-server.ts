// The admin port: an API for operators, and their console. It has its own address, its own tokens and roles.
// Nothing here trusts a browser: a page of another site can neither read a response nor change anything.

import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { timeouts } from "../edge/connection-guard.ts";
import { bearerOf } from "../edge/http-admission.ts";
import { EngineError } from "../engine/engine-error.ts";
import { KeysUnavailableError } from "../identity/issuer-keys.ts";
import { AdminError, type AdminErrorCode, STATUS } from "./admin-error.ts";
import type { AdminParts } from "./admin-parts.ts";
import { FailedAttempts } from "./attempts.ts";
import type { ConsoleFile } from "./console.ts";
import { liveRoutes } from "./live-routes.ts";
import type { AdminRole, Operators, Principal } from "./operators.ts";
import { registryRoutes } from "./registry/registry-routes.ts";
import type { AdminRoute } from "./route.ts";
import { serverRoutes } from "./server-routes.ts";
import type { Sessions } from "./sessions.ts";
import { userRoutes } from "./user-routes.ts";

/** The options of `createAdminServer`. */
export interface AdminServerOptions {
  parts: AdminParts;
  operators: Operators;
  sessions: Sessions;
  /** Accepted `Host` headers, in lower case. */
  hosts: ReadonlySet<string>;
  /** Finds the files of the console. They contain no data, so they need no log-in. */
  console(path: string): ConsoleFile | undefined;
  /** Called for each failed log-in and each refused request. */
  onRefused?(code: AdminErrorCode, request: { method: string; path: string; remote: string }): void;
}

/** The header that a page of another site can't send without asking first. */
const HEADER = "vitrine-admin";
const BODY = 64 * 1024;

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Creates the server of the admin port. */
export function createAdminServer(options: AdminServerOptions): FastifyInstance {
  const { parts, operators, sessions, hosts } = options;
  const attempts = new FailedAttempts();
  const app = fastify({
    ...{ bodyLimit: BODY, http: timeouts(), forceCloseConnections: true },
    routerOptions: { maxParamLength: 256 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(HEADERS);
    if (!hosts.has(`${request.headers.host ?? ""}`.toLowerCase())) {
      throw new AdminError(
        "foreign-host",
        "The admin port isn't configured for this Host header. Add it to admin.hosts.",
      );
    }
    if (request.method !== "GET" && request.method !== "HEAD") checkChange(request);
  });
  app.setErrorHandler((error, request, reply) => {
    const known = explain(error);
    const { ip: remote, method, url } = request;
    const [path = ""] = url.split("?");
    options.onRefused?.(known.code, { method, path: path.slice(0, 200), remote });
    return sendError(reply, known);
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = ""] = request.url.split("?");
    const file = request.method === "GET" ? options.console(path) : undefined;
    if (!file) {
      return sendError(reply, new AdminError("not-found", "There is nothing at this address."));
    }
    reply.headers(file.headers);
    const isKnown = request.headers["if-none-match"] === file.headers.etag;
    return isKnown ? reply.code(304).send() : reply.send(Buffer.from(file.body));
  });

  const identify = async (token: string, address: string): Promise<Principal> => {
    if (attempts.isBlocked(address)) {
      throw new AdminError("rate", "Too many failed log-ins. Try again in a minute.");
    }
    const found = await operators.identify(token);
    if (found && operators.roleOf(found)) return found;
    attempts.add(address);
    if (found) throw new AdminError("forbidden", `"${found.name}" has no role here.`);
    throw new AdminError("unauthenticated", "This token isn't valid here.");
  };
  const enter = async (
    request: FastifyRequest,
  ): Promise<{ principal: Principal; role: AdminRole }> => {
    const { authorization, cookie } = request.headers;
    const token = bearerOf(authorization);
    const principal =
      token === undefined ? await sessions.find(cookie) : await identify(token, request.ip);
    const role = principal && operators.roleOf(principal);
    if (!principal || !role) {
      throw new AdminError("unauthenticated", "Log in first: POST /api/session.");
    }
    return { principal, role };
  };

  const addRoute = ({ method, path, run }: AdminRoute): void => {
    app.route({
      method,
      url: `/api${path}`,
      handler: async (request, reply) => {
        const { principal, role } = await enter(request);
        if (method !== "GET" && role !== "operator") {
          throw new AdminError("forbidden", "Your role is viewer, which may not change anything.");
        }
        const answer = await run(
          {
            params: request.params as Record<string, string>,
            query: queryOf(request.query),
            body: method === "GET" ? {} : readBody(request.body),
            ...{ by: principal.name, role },
          },
          parts,
        );
        return reply.type("application/json").send(JSON.stringify(answer ?? {}));
      },
    });
  };
  for (const route of [...serverRoutes, ...liveRoutes, ...userRoutes, ...registryRoutes])
    addRoute(route);

  const describe = (principal: Principal, role: AdminRole): string =>
    JSON.stringify({ name: principal.name, role, gateway: parts.own });
  app.get("/api/session", async (request, reply) => {
    const { principal, role } = await enter(request);
    return reply.type("application/json").send(describe(principal, role));
  });
  app.post("/api/session", async (request, reply) => {
    const { token } = readBody(request.body);
    const principal = await identify(typeof token === "string" ? token : "", request.ip);
    reply.header("set-cookie", await sessions.begin(principal));
    const role = operators.roleOf(principal) as AdminRole;
    parts.audit.record({
      event: "operator",
      detail: { action: "admin-log-in", by: principal.name, role },
    });
    return reply.type("application/json").send(describe(principal, role));
  });
  app.delete("/api/session", async (request, reply) => {
    reply.header("set-cookie", await sessions.end(request.headers.cookie));
    return reply.code(204).send();
  });
  return app;
}

/** A change must come from the console's own page, or from a program. */
function checkChange({ headers, method }: FastifyRequest): void {
  const { origin, host, cookie, authorization } = headers;
  const site = headers["sec-fetch-site"];
  const isBrowser = site !== undefined || (cookie !== undefined && authorization === undefined);
  const isOwn = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
  if ((origin !== undefined || isBrowser) && !isOwn) {
    throw new AdminError("foreign-origin", "Only the console's own pages may change anything.");
  }
  if (site !== undefined && site !== "same-origin") {
    throw new AdminError("foreign-origin", "Pages of other sites may not call the admin port.");
  }
  if (headers[HEADER] !== "1") {
    throw new AdminError("foreign-origin", `A change needs the header "${HEADER}: 1".`);
  }
  const [type = ""] = `${headers["content-type"] ?? ""}`.split(";");
  if (method === "POST" && type.trim().toLowerCase() !== "application/json") {
    throw new AdminError("not-json", "Send the content type application/json.");
  }
}

function sendError(reply: FastifyReply, { code, message }: AdminError): FastifyReply {
  const text = JSON.stringify({ error: { code, message } });
  return reply.code(STATUS[code]).type("application/json").send(text);
}

function explain(error: unknown): AdminError {
  if (error instanceof AdminError) return error;
  if (error instanceof EngineError || error instanceof KeysUnavailableError) {
    return new AdminError("unavailable", "The gateway's store or the identity provider is away.");
  }
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode === 415) {
    return new AdminError("not-json", "Send the content type application/json.");
  }
  if (statusCode < 500) return new AdminError("malformed", "The request is malformed.");
  return new AdminError("internal", "The request failed. The gateway's log has the cause.");
}

function readBody(body: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(typeof body === "string" && body !== "" ? body : "{}");
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Reported below.
  }
  throw new AdminError("malformed", "The body must be a JSON object.");
}

/** A parameter that is given twice counts as missing. */
function queryOf(query: unknown): Record<string, string | undefined> {
  const entries = Object.entries(Object(query) as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "string")) as Record<
    string,
    string
  >;
}
