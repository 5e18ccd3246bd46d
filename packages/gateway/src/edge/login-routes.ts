// HTTP routes for per-user logins.
//
//   GET    /servers/{id}/connect?return=…   whether the user is logged in, and the login address
//   POST   /servers/{id}/connect            { "confirm": … }, sent by the user who started the login
//   DELETE /servers/{id}/connect            logs the user out
//   GET    /oauth/callback/{id}             redirect address for the authorization server
//   GET    /oauth/clients/{id}              the gateway's client metadata document

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse, toErrorFrame } from "../errors/refusal.ts";
import type { OAuthServer } from "../identity/credentials/authority.ts";
import {
  CredentialError,
  type CredentialErrorCode,
} from "../identity/credentials/credential-error.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import type { User } from "../identity/user-token.ts";
import type { createAdmission } from "../policy/admission.ts";
import { bearerOf, discardBody, sendRefusal } from "./http-admission.ts";

/** The options of `addCredentialRoutes`. */
export interface CredentialRoutesOptions {
  credentials: Credentials;
  admission: ReturnType<typeof createAdmission>;
  /** The servers that users can currently log in to. */
  servers: { get(id: string): OAuthServer | undefined };
  /** Called for the audit log when a user logs in or out. */
  onChange?(action: "connect" | "disconnect", user: User, server: string): void;
  /** Called for the log when a login fails. The message contains no secret. */
  onFailure?(error: CredentialError, server: string): void;
}

const STATUS: Record<CredentialErrorCode, number> = {
  "not-connected": 409,
  "no-oauth": 404,
  "unknown-flow": 400,
  "other-user": 403,
  issuer: 400,
  resource: 502,
  insecure: 502,
  incompatible: 502,
  denied: 403,
  rate: 429,
  "bad-return": 400,
  unavailable: 502,
};
const LONGEST = 4096;
const BODY = 16_384;

/** Adds the routes to a gateway's HTTP endpoint. Call it before the gateway listens. */
export function addCredentialRoutes(app: FastifyInstance, options: CredentialRoutesOptions): void {
  const { credentials, admission, servers, onFailure, onChange } = options;

  const fail = (reply: FastifyReply, error: unknown, server: string): FastifyReply => {
    if (!(error instanceof CredentialError)) throw error;
    // A flood must not fill the log.
    if (error.code !== "rate") onFailure?.(error, server);
    if (error.retryAfter !== undefined) reply.header("retry-after", `${error.retryAfter}`);
    return reply.code(STATUS[error.code]).send({ error: error.code, message: error.message });
  };

  const admitted = new WeakMap<FastifyRequest, { user: User; server: OAuthServer }>();
  // Runs before the body is read. Otherwise an unauthenticated body would fill memory.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id } = request.params as { id: string };
    const { method, headers } = request;
    const token = bearerOf(headers.authorization);
    const head = { method, headers, server: id, token, isPageRoute: true, isUpgrade: false };
    const entered = await admission(head);
    if ("code" in entered) return sendRefusal(discardBody(request, reply), entered);
    const server = servers.get(id);
    if (!server) {
      const message = `"${id}" doesn't use logins. Call it directly.`;
      return reply.code(404).send({ error: "no-oauth", message });
    }
    const { tenant, user } = entered.caller;
    admitted.set(request, { user: { tenant, user }, server });
    return undefined;
  };
  const route = (
    method: "GET" | "POST" | "DELETE",
    respond: (user: User, server: OAuthServer, request: FastifyRequest) => Promise<unknown>,
  ): void => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { user, server } = admitted.get(request) as { user: User; server: OAuthServer };
      try {
        const body = await respond(user, server, request);
        return await (body === undefined ? reply.code(204).send() : reply.send(body));
      } catch (error) {
        return fail(reply, error, server.id);
      }
    };
    app.route({ method, url: "/servers/:id/connect", onRequest, bodyLimit: BODY, handler });
  };
  route("GET", async (user, server, { query }) => {
    const { return: returnTo } = query as { return?: unknown };
    const page = typeof returnTo === "string" ? { returnTo } : {};
    const { url } = await credentials.flow.begin(user, server, page);
    return { url, connected: await credentials.isConnected(user, server) };
  });
  route("POST", async (user, server, { body }) => {
    await credentials.flow.confirm(user, server, readConfirmation(body));
    onChange?.("connect", user, server.id);
  });
  route("DELETE", async (user, server) => {
    await credentials.disconnect(user, server);
    onChange?.("disconnect", user, server.id);
  });
  app.get("/oauth/callback/:id", async (request, reply) => {
    const { id } = request.params as { id: string };
    reply.header("referrer-policy", "no-referrer");
    try {
      const answer = readAnswer(request.query);
      const { location, confirmation } = await credentials.flow.arrive(id, answer);
      if (location) return await reply.code(303).header("location", location).send();
      const text = confirmation
        ? `Logged in. Copy this code to the program that asked for it:\n\n${confirmation}\n`
        : "The login was denied. You can close this window.\n";
      return await reply.type("text/plain; charset=utf-8").send(text);
    } catch (error) {
      return fail(reply, error, id);
    }
  });

  app.get("/oauth/clients/:id", async (request, reply) => {
    const { id } = request.params as { id: string };
    const document = servers.get(id) && credentials.clients.document(id);
    if (document) return reply.send(document);
    const refusal = refuse(
      "unknown-server",
      "No OAuth client has this name. Check the server's name in the address.",
    );
    return reply.code(404).type("application/json").send(toErrorFrame(null, refusal));
  });
}

function readAnswer(query: unknown): Parameters<Credentials["flow"]["arrive"]>[1] {
  const text = (name: string): string | undefined => {
    const value = (Object(query) as Record<string, unknown>)[name];
    // A parameter that occurs twice is ambiguous, so it is ignored.
    return typeof value === "string" && value.length <= LONGEST ? value : undefined;
  };
  const [state, code, iss, error] = ["state", "code", "iss", "error"].map(text);
  return {
    state: state ?? "",
    ...(code !== undefined && { code }),
    ...(iss !== undefined && { iss }),
    ...(error !== undefined && { error }),
  };
}

function readConfirmation(body: unknown): string {
  try {
    const { confirm } = Object(JSON.parse(`${body}`)) as { confirm?: unknown };
    return typeof confirm === "string" ? confirm : "";
  } catch {
    return "";
  }
}
