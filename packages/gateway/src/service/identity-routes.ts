// The gateway's own keys and tokens: the public key set, and the token endpoint for companies' assertions.

import type { Audit } from "../audit/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import { addKeySet } from "../edge/key-set.ts";
import { addTokenEndpoint } from "../edge/token-endpoint.ts";
import type { Engine } from "../engine/index.ts";
import type { Gateway } from "../gateway.ts";
import { createEnterpriseGrants } from "../identity/enterprise-grants.ts";
import { COMBINED } from "../identity/protected-resources.ts";
import { createSigningKeys, type SigningKeys } from "../identity/signing-keys.ts";
import type { Log } from "../observability/log.ts";
import { type Keyring, keyFolder } from "./keyring.ts";
import { storeIn } from "./open-login.ts";
import { OperatorError } from "./operator-error.ts";
import type { ServerSet } from "./server-set.ts";

/** The keys, if a setting needs them or the folder has them. */
export function openSigningKeys(
  config: GatewayConfig,
  { signing }: Pick<Keyring, "signing">,
): SigningKeys | undefined {
  if (signing.length > 0) return createSigningKeys(signing);
  const { auth, servers } = config;
  const asserting = Object.entries(servers).find(
    ([, { identity }]) => identity?.kind === "assertion",
  );
  const isEnterprise = auth.mode === "jwt" && auth.enterprise !== undefined;
  const setting = isEnterprise
    ? "auth.enterprise"
    : asserting && `servers.${asserting[0]}.identity`;
  if (setting === undefined) return undefined;
  const folder = keyFolder(config) ?? "";
  const message = `${folder} has no signing.key, which ${setting} needs. Create it with: vitrine gateway keys create ${folder}`;
  throw new OperatorError("keys", message);
}

/** The parts that the routes need. */
export interface IdentityRouting {
  gateway: Gateway;
  config: GatewayConfig;
  engine: Engine;
  signing: SigningKeys | undefined;
  servers: Pick<ServerSet, "opened">;
  audit: Audit;
  log: Log;
}

/** Adds the routes. Call it before the gateway listens. */
export function addIdentityRoutes(parts: IdentityRouting): void {
  const { gateway, config, engine, signing, servers, audit, log } = parts;
  const { auth, listen } = config;
  if (!signing) return;
  addKeySet(gateway.http, signing);
  const { resources, revocations } = gateway;
  if (auth.mode === "dev" || !auth.enterprise || !resources) return;
  const { enterprise } = auth;
  const issuer = listen.publicUrl ?? "";
  const grants = createEnterpriseGrants({
    ...{ issuer, engine, keys: signing, revocations, store: storeIn(engine) },
    ...{ providers: enterprise.issuers, clients: enterprise.clients },
    lifetime: enterprise.lifetime,
    scopesOf: (resource) => {
      // The list of servers has no server.
      const ids = ["", COMBINED, ...Object.keys(servers.opened)];
      const found = ids.find((id) => resources.accepted(id).includes(resource));
      return found === undefined ? undefined : resources.metadata(found).scopes_supported;
    },
  });
  addTokenEndpoint(gateway.http, {
    ...{ issuer, grants, scopes: auth.scopes },
    onIssued: ({ tenant, user, clientId, resource, scope }) =>
      audit.record({
        event: "consent",
        actor: { tenant, user },
        detail: { action: "enterprise-token", client: clientId, resource, scope },
      }),
    onRejected: ({ code, message, cause }, client, remote) =>
      log.info(
        { code, client: client.slice(0, 200), remote, ...(cause ? { cause: `${cause}` } : {}) },
        message,
      ),
  });
}
