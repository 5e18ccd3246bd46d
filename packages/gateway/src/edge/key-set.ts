// The gateway's public keys, for servers that check the identity it asserts and for anybody who checks its tokens.

import type { FastifyInstance } from "fastify";
import type { SigningKeys } from "../identity/signing-keys.ts";
import { allowAnyPage } from "./resource-metadata.ts";

const SECONDS = 300;

/** Adds the route to a gateway's HTTP endpoint. */
export function addKeySet(app: FastifyInstance, { jwks }: Pick<SigningKeys, "jwks">): void {
  app.get("/.well-known/jwks.json", async (_request, reply) =>
    allowAnyPage(reply)
      .header("cache-control", `public, max-age=${SECONDS}`)
      .type("application/jwk-set+json")
      .send(JSON.stringify(jwks)),
  );
}
