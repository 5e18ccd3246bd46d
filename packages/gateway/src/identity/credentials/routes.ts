// The pages' side of per-user log-ins.
//
//   GET    /servers/{id}/connect?return=…   whether the user is logged in, and where to do it
//   POST   /servers/{id}/connect            { "confirm": … }, said by the user that began
//   DELETE /servers/{id}/connect            forgets the token
//   GET    /oauth/callback/{id}             where the authorization server sends the browser
//   GET    /oauth/clients/{id}              who the gateway is to an authorization server

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bearerOf, discardBody, sendRefusal } from "../../carriers/http-admission.ts";
import type { createAdmission } from "../../pipeline/admission.ts";
import { refuse, toErrorFrame } from "../../pipeline/refusal.ts";
import type { User } from "../user-token.ts";
import type { OAuthServer } from "./authority.ts";
import type { Credentials } from "./credentials.ts";
import { CredentialError, type CredentialErrorCode } from "./errors.ts";

/** What the routes need. */
export interface CredentialRoutesOptions {
  credentials: Credentials;
  admission: ReturnType<typeof createAdmission>;
  /** The servers that users log in to, at this moment. */
  servers: { get(id: string): OAuthServer | undefined };
  /** For the audit log: a user logged in to a server, or out. */
  onChange?(action: "connect" | "disconnect", user: User, server: string): void;
  /** For the log: what went wrong, in words that hold no secret. */
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

/** Adds the routes to a gateway's HTTP side, before it listens. */
export function addCredentialRoutes(app: FastifyInstance, options: CredentialRoutesOptions): void {
  const { credentials, admission, servers, onFailure, onChange } = options;

  const fail = (reply: FastifyReply, error: unknown, server: string): FastifyReply => {
    if (!(error instanceof CredentialError)) throw error;
    // A flood must not fill the log too.
    if (error.code !== "rate") onFailure?.(error, server);
    if (error.retryAfter !== undefined) reply.header("retry-after", `${error.retryAfter}`);
    return reply.code(STATUS[error.code]).send({ error: error.code, message: error.message });
  };

  /** The user and the server, or nothing when the answer is already given. */
  const enter = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ user: User; server: OAuthServer } | undefined> => {
    const { id } = request.params as { id: string };
    const { method, headers } = request;
    const token = bearerOf(headers.authorization);
    const admitted = await admission({ method, headers, server: id, token, isUpgrade: false });
    if ("code" in admitted) {
      sendRefusal(discardBody(request, reply), admitted);
      return undefined;
    }
    const server = servers.get(id);
    if (!server) {
      const message = `"${id}" needs no log-in.`;
      reply.code(404).send({ error: "no-oauth", message });
      return undefined;
    }
    const { tenant, user } = admitted.caller;
    return { user: { tenant, user }, server };
  };

  app.get("/servers/:id/connect", async (request, reply) => {
    const entered = await enter(request, reply);
    if (!entered) return reply;
    const { user, server } = entered;
    const { return: returnTo } = request.query as { return?: unknown };
    try {
      const { url } = await credentials.flow.begin(
        user,
        server,
        typeof returnTo === "string" ? { returnTo } : {},
      );
      return await reply.send({ url, connected: await credentials.isConnected(user, server) });
    } catch (error) {
      return fail(reply, error, server.id);
    }
  });

  const admitted = new WeakMap<FastifyRequest, { user: User; server: OAuthServer }>();
  // Before the body is read: without this hook a stranger's body would fill memory.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const entered = await enter(request, reply);
    if (!entered) return reply;
    admitted.set(request, entered);
    return undefined;
  };
  app.post("/servers/:id/connect", { onRequest, bodyLimit: BODY }, async (request, reply) => {
    const { user, server } = admitted.get(request) as { user: User; server: OAuthServer };
    try {
      await credentials.flow.confirm(user, server, readConfirmation(request.body));
      onChange?.("connect", user, server.id);
      return await reply.code(204).send();
    } catch (error) {
      return fail(reply, error, server.id);
    }
  });

  app.delete("/servers/:id/connect", async (request, reply) => {
    const entered = await enter(request, reply);
    if (!entered) return reply;
    const { user, server } = entered;
    try {
      await credentials.disconnect(user, server);
      onChange?.("disconnect", user, server.id);
      return await reply.code(204).send();
    } catch (error) {
      return fail(reply, error, server.id);
    }
  });

  app.get("/oauth/callback/:id", async (request, reply) => {
    const { id } = request.params as { id: string };
    reply.header("referrer-policy", "no-referrer");
    try {
      const answer = readAnswer(request.query);
      const { location, confirmation } = await credentials.flow.arrive(id, answer);
      if (location) return await reply.code(303).header("location", location).send();
      const text = confirmation
        ? `Logged in. Give this to the program that asked for it:\n\n${confirmation}\n`
        : "The log-in was refused. You may close this window.\n";
      return await reply.type("text/plain; charset=utf-8").send(text);
    } catch (error) {
      return fail(reply, error, id);
    }
  });

  app.get("/oauth/clients/:id", async (request, reply) => {
    const { id } = request.params as { id: string };
    const document = servers.get(id) && credentials.clients.document(id);
    if (document) return reply.send(document);
    const refusal = refuse("unknown-server", "There is no such client.");
    return reply.code(404).type("application/json").send(toErrorFrame(null, refusal));
  });
}

function readAnswer(query: unknown): Parameters<Credentials["flow"]["arrive"]>[1] {
  const text = (name: string): string | undefined => {
    const value = (Object(query) as Record<string, unknown>)[name];
    // Twice in a query it would be two answers; which one counts is not for us to guess.
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
