// GET /servers: the user of a token, and the servers that the gateway has. A chat that connects to a
// gateway needs no other configuration.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../errors/refusal.ts";
import { createAdmission } from "../policy/admission.ts";
import type { Admitted } from "../policy/exchange.ts";
import type { ServerBinding } from "../policy/server-binding.ts";
import {
  COMBINED_PATH,
  createHttpAdmission,
  type HttpAdmissionOptions,
  sendRefusal,
} from "./http-admission.ts";

/** The options of `addServerList`. */
export interface ServerListOptions extends Omit<HttpAdmissionOptions, "admission"> {
  /** The gateway's rules, without its servers. */
  rules: Omit<Parameters<typeof createAdmission>[0], "servers">;
  /** The names of the servers that a user may use. */
  names(user: Pick<Admitted, "caller">): string[];
}

/** Adds the route to a gateway's HTTP endpoint. */
export function addServerList(
  app: FastifyInstance,
  { rules, names, ...options }: ServerListOptions,
): void {
  // The list belongs to no server; the caller is checked as for any.
  const servers = { get: () => ({ id: "" }) as ServerBinding };
  const admission = createAdmission({ ...rules, servers });
  const { admit, admitted, turn } = createHttpAdmission({ ...options, admission });
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    // A view knows its own server only.
    if (request.headers["vitrine-view"] === undefined) return admit(request, reply);
    return sendRefusal(
      reply,
      refuse("unauthenticated", "A view's ticket isn't accepted here. Send the user's token."),
    );
  };
  app.get("/servers", { onRequest, preHandler: turn }, async (request, reply) => {
    const { tenant, user } = admitted(request).caller;
    return reply.send({
      tenant,
      user,
      servers: names(admitted(request)).map((id) => ({ id })),
      combined: COMBINED_PATH,
    });
  });
}
