// POST /mcp: one endpoint for all servers that the user may use. A view isn't admitted here: its ticket names
// its server, and its calls go to that server's own endpoint.

import type { FastifyInstance } from "fastify";
import { COMBINED } from "../identity/protected-resources.ts";
import { createAdmission } from "../policy/admission.ts";
import type { Pipeline } from "../policy/pipeline.ts";
import type { ServerBinding } from "../policy/server-binding.ts";
import { COMBINED_PATH, createHttpAdmission, type HttpAdmissionOptions } from "./http-admission.ts";
import { messageHandler, refuseSession } from "./message-handler.ts";

/** The options of `addCombinedEndpoint`. */
export interface CombinedEndpointOptions extends Omit<HttpAdmissionOptions, "admission"> {
  /** The gateway's rules, without its servers. */
  rules: Omit<Parameters<typeof createAdmission>[0], "servers">;
  pipeline: Pipeline;
}

/** Adds the routes to a gateway's HTTP endpoint. */
export function addCombinedEndpoint(
  app: FastifyInstance,
  { rules, pipeline, ...options }: CombinedEndpointOptions,
): void {
  const { resources } = options;
  const servers = { get: () => ({ id: COMBINED }) as ServerBinding };
  const admission = createAdmission({ ...rules, servers });
  const { admit, admitted, turn, respond } = createHttpAdmission({ ...options, admission });
  const receive = messageHandler({
    pipeline,
    admitted,
    respond,
    // A single server may need further scopes.
    challenge: ({ code, data }, { scopes }) => {
      if (code !== "insufficient-scope" || typeof data?.server !== "string") return undefined;
      const needed = resources?.scopesFor(data.server, scopes);
      return resources?.challenge(COMBINED, "insufficient_scope", needed);
    },
  });
  app.post(COMBINED_PATH, { onRequest: admit, preHandler: turn }, receive);
  app.route({ method: ["GET", "DELETE"], url: COMBINED_PATH, handler: refuseSession });
}
