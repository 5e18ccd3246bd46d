// The text that a gateway prints at start, and `check` for a configuration.

import type { GatewayConfig } from "../config/config.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Service } from "./service.ts";

/** The addresses, the configuration, and the token if one was generated. */
export function* banner(service: Service, { config }: LoadedConfig): Generator<string> {
  if (service.url) yield `Gateway    ${service.url}`;
  if (service.sandboxUrl) yield `Sandbox    ${service.sandboxUrl}`;
  if (service.adminUrl) yield `Admin      ${service.adminUrl}`;
  if (service.operatorUrl) yield `Operators  ${service.operatorUrl}/metrics`;
  yield* summary(config);
  if (service.devToken) {
    yield "";
    yield `Token      ${service.devToken}`;
    yield "           valid for this run only and not shown again: Authorization: Bearer …";
  }
  if (config.engine.driver === "memory") {
    yield "           The engine is memory: grants and the audit log are lost when the process ends.";
  }
}

/** Describes the configuration. */
export function* summary(config: GatewayConfig): Generator<string> {
  const { servers, auth, engine, audit } = config;
  const location = engine.servers?.join(", ") ?? engine.folder;
  const where = location === undefined ? engine.driver : `${engine.driver} ${location}`;
  yield `Engine     ${where}, audit ${audit.level}, login ${auth.mode}`;
  if (engine.driver === "nats") yield `Roles      ${config.cluster.roles.join(", ")}`;
  yield* safety(config);
  for (const [id, { url, command, oauth, consent }] of Object.entries(servers)) {
    // Neither arguments nor the query, because they may contain a token.
    const target = url === undefined ? `${command?.[0]} …` : url.split("?")[0];
    yield `Server     ${id}: ${target}, consent ${consent}${oauth ? ", users log in" : ""}`;
  }
}

/** When an audit record is safe from which failure. */
function* safety({ engine, audit, cluster }: GatewayConfig): Generator<string> {
  const { driver, folder } = engine;
  const isWait = audit.mode === "wait";
  const when = isWait ? "before a call continues" : "within moments";
  const nats = "NATS, which syncs as its servers are set (sync_interval)";
  const before = isWait ? "" : "written before a call continues, ";
  if (driver === "sqlite") yield `Records    ${before}synced to the disk ${when}`;
  else if (driver === "nats" && folder !== undefined) {
    yield `Records    ${before}synced to ${folder} ${when}, then to ${nats}`;
  } else if (driver === "nats") {
    yield `Records    to ${nats}; without engine.folder, calls are refused while NATS is unavailable`;
  }
  if (!audit.archive) return;
  const who = cluster.roles.includes("archiver") ? "" : ", by processes with the role archiver";
  yield `Archive    ${audit.archive.folder}, synced before records are deleted${who}`;
}
