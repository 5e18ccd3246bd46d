// What a gateway says of itself at its start, and `check` of a configuration.

import type { GatewayConfig } from "../config/config.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Service } from "./service.ts";

/** Where it is reached, what it uses, and the token where one was made. */
export function* greeting(service: Service, { config }: LoadedConfig): Generator<string> {
  if (service.url) yield `Gateway    ${service.url}`;
  if (service.sandboxUrl) yield `Sandbox    ${service.sandboxUrl}`;
  if (service.operatorUrl) yield `Operators  ${service.operatorUrl}/metrics`;
  yield* summary(config);
  if (service.devToken) {
    yield "";
    yield `Token      ${service.devToken}`;
    yield "           for this run alone, and shown this once: Authorization: Bearer …";
  }
  if (config.engine.driver === "memory") {
    yield "           The engine is memory: grants and audit log end with the process.";
  }
}

/** What it uses. */
export function* summary(config: GatewayConfig): Generator<string> {
  const { servers, auth, engine, audit } = config;
  const place = engine.servers?.join(", ") ?? engine.folder;
  const where = place === undefined ? engine.driver : `${engine.driver} ${place}`;
  yield `Engine     ${where}, audit ${audit.level}, log-in ${auth.mode}`;
  if (engine.driver === "nats") yield `Roles      ${config.cluster.roles.join(", ")}`;
  yield* safety(config);
  for (const [id, { url, command, oauth, consent }] of Object.entries(servers)) {
    // Neither arguments nor the query: a token may stand there.
    const target = url === undefined ? `${command?.[0]} …` : url.split("?")[0];
    yield `Server     ${id}: ${target}, consent ${consent}${oauth ? ", users log in" : ""}`;
  }
}

/** When a record survives what: nobody should have to find that out afterwards. */
function* safety({ engine, audit, cluster }: GatewayConfig): Generator<string> {
  const { driver, folder } = engine;
  const isWait = audit.mode === "wait";
  const when = isWait ? "before a call goes on" : "within moments";
  const nats = "NATS, which syncs as its servers are set (sync_interval)";
  const before = isWait ? "" : "written before a call goes on, ";
  if (driver === "file") yield `Records    ${before}synced to the disk ${when}`;
  else if (driver === "nats" && folder !== undefined) {
    yield `Records    ${before}synced to ${folder} ${when}, then to ${nats}`;
  } else if (driver === "nats") {
    yield `Records    to ${nats}; without engine.folder calls are refused while it is away`;
  }
  if (!audit.archive) return;
  const who = cluster.roles.includes("archiver") ? "" : ", by processes with the role archiver";
  yield `Archive    ${audit.archive.folder}, synced before anything may be let go of${who}`;
}
