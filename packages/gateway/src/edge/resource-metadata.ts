// RFC 9728 metadata of the gateway's servers. It's public, and any page may read it: a host that runs in a browser
// needs it before its user has logged in.

import type { FastifyInstance, FastifyReply } from "fastify";
import {
  COMBINED,
  METADATA_PATH,
  type ProtectedResources,
} from "../identity/protected-resources.ts";

const SECONDS = 300;

/** Adds the routes to a gateway's HTTP endpoint. */
export function addResourceMetadata(app: FastifyInstance, resources: ProtectedResources): void {
  const send = (reply: FastifyReply, server: string): FastifyReply =>
    allowAnyPage(reply)
      .header("cache-control", `public, max-age=${SECONDS}`)
      .send(resources.metadata(server));
  const routes: [path: string, serverOf: (params: unknown) => string][] = [
    [`${METADATA_PATH}/servers`, () => ""],
    [`${METADATA_PATH}/mcp`, () => COMBINED],
    [`${METADATA_PATH}/servers/:id/mcp`, (params) => (params as { id: string }).id],
  ];
  for (const [path, serverOf] of routes) {
    app.get(path, async ({ params }, reply) => send(reply, serverOf(params)));
    app.options(path, async (_request, reply) =>
      allowAnyPage(reply)
        .header("access-control-allow-methods", "GET")
        .header("access-control-allow-headers", "mcp-protocol-version")
        .header("access-control-max-age", "600")
        .code(204)
        .send(),
    );
  }
}

/** Lets pages of every origin read a public response. */
export function allowAnyPage(reply: FastifyReply): FastifyReply {
  return reply
    .header("access-control-allow-origin", "*")
    .header("cross-origin-resource-policy", "cross-origin");
}
