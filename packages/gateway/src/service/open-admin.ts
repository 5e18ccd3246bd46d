// Opens the admin port of a configuration.

import { createAdminServer } from "../admin/admin-server.ts";
import { openConsole } from "../admin/console.ts";
import { createLiveState, liveAnswers } from "../admin/live-state.ts";
import { createOperators } from "../admin/operators.ts";
import { openPeers, type Peers } from "../admin/peers.ts";
import { createRegistry } from "../admin/registry/registry-client.ts";
import { createSessions } from "../admin/sessions.ts";
import { createUserDirectory, type UserDirectory } from "../admin/user-directory.ts";
import type { Audit } from "../audit/index.ts";
import { queryAudit } from "../audit/query.ts";
import { type GatewayConfig, isLoopbackHost, issuersOf } from "../config/config.ts";
import { createSealer } from "../crypto/sealing.ts";
import type { Engine } from "../engine/index.ts";
import type { Gateway } from "../gateway.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import { type Authenticate, jwtAuthenticator, type User } from "../identity/user-token.ts";
import type { Health } from "../observability/health.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { ServerReports } from "../observability/server-reports.ts";
import type { Recorder } from "../policy/pipeline.ts";
import type { Keyring } from "./keyring.ts";
import type { LiveSettings } from "./live-settings.ts";
import { storeIn } from "./open-login.ts";
import { nodeName } from "./open-parts.ts";
import { portError } from "./operator-server.ts";
import { PROGRAM_VERSION } from "./program-version.ts";
import type { ServerProbes } from "./server-probes.ts";
import type { ServerSet } from "./server-set.ts";

/** The parts of a gateway that the admin port needs. */
export interface OpenAdminOptions {
  config: GatewayConfig;
  live: LiveSettings;
  engine: Engine;
  keyring: Pick<Keyring, "store">;
  gateway: Gateway;
  servers: ServerSet;
  credentials: Credentials | undefined;
  audit: Audit;
  health: Health;
  reports: ServerReports;
  probes: ServerProbes;
  users: UserDirectory | undefined;
  metrics: Pick<Metrics, "sink">;
  log: Log;
}

/** An admin port that is open. */
export interface OpenedAdmin {
  /** Undefined if this gateway only answers the admin ports of others. */
  url: string | undefined;
  close(): Promise<void>;
}

/** Opens the admin port, if it is configured, and answers the questions of other gateways. */
export async function openAdmin(options: OpenAdminOptions): Promise<OpenedAdmin> {
  const { config, engine, gateway, health, keyring } = options;
  const own = {
    node: nodeName(config.engine.node),
    version: PROGRAM_VERSION,
    roles: config.cluster.roles,
    startedAt: Date.now(),
  };
  const peers = openPeers(engine, {
    own,
    answer: liveAnswers(gateway, { own, problems: () => health.problems() }),
    sealer: createSealer(keyring.store, { purpose: "admin messages" }),
  });
  addControlMetrics(options);
  const stopEnding = gateway.revocations.onRevoked((user) => void options.servers.endUser(user));
  const close = async (): Promise<void> => {
    stopEnding();
    peers.close();
  };
  const { admin } = config;
  if (!admin || !options.users) return { url: undefined, close };
  const hosts = new Set(admin.hosts.map((name) => name.toLowerCase()));
  if (admin.publicUrl !== undefined) hosts.add(new URL(admin.publicUrl).host);
  const server = createAdminServer({
    parts: { ...partsOf(options, { peers, users: options.users }), own },
    operators: createOperators({
      token: () => options.live.adminToken,
      authenticate: authenticatorOf(config, engine),
      resource: admin.publicUrl,
      roles: admin.roles,
      isRevoked: (user, issuedAt) => gateway.revocations.refusal(user, issuedAt) !== undefined,
    }),
    sessions: createSessions(engine, { isSecure: admin.publicUrl?.startsWith("https:") ?? false }),
    hosts,
    console: await openConsole(),
    onRefused: (code, request) =>
      options.log[code === "internal" ? "error" : "info"]({ code, ...request }, "admin refused"),
  });
  const { host, port } = admin;
  await server.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw portError(error, { host, port, what: "admin.port" });
  });
  const bound = (server.server.address() as { port: number }).port;
  for (const name of isLoopbackHost(host) ? ["localhost", "127.0.0.1", "[::1]"] : []) {
    hosts.add(`${name}:${bound}`);
  }
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: async () => {
      await server.close();
      await close();
    },
  };
}

function addControlMetrics({ gateway, metrics: { sink } }: OpenAdminOptions): void {
  const { states, toolApprovals, liveCalls } = gateway;
  sink.gauge("vitrine_calls", "Tool calls in progress.", () => liveCalls.size);
  sink.gauge("vitrine_servers_paused", "Servers that an operator paused.", () => {
    const ids = new Set(gateway.servers().map(({ id }) => id));
    return states.list().filter(({ server }) => ids.has(server)).length;
  });
  sink.gauge("vitrine_tools_pending", "New and changed tools that no operator approved.", () =>
    gateway.servers().reduce((sum, { id }) => sum + toolApprovals.pending(id), 0),
  );
}

function partsOf(
  options: OpenAdminOptions,
  { peers, users }: { peers: Peers; users: UserDirectory },
) {
  const { gateway, audit, servers, credentials, reports, probes, engine } = options;
  const oauthServers = () => Object.keys(servers.opened).flatMap((id) => servers.oauth(id) ?? []);
  return {
    ...{ gateway, audit, reports, users, live: createLiveState(peers) },
    config: (id: string) => servers.config(id),
    check: (id: string) => probes.check(id),
    registry: () => createRegistry(options.config.admin?.registry),
    searchAudit: (query: Omit<Parameters<typeof queryAudit>[0], "log">) =>
      queryAudit({ ...query, log: engine.log }),
    logins: {
      of: async (user: User) => {
        const found: string[] = [];
        for (const server of credentials ? oauthServers() : []) {
          if (await credentials?.isConnected(user, server)) found.push(server.id);
        }
        return found;
      },
      remove: async (user: User) => {
        const removed: string[] = [];
        for (const server of credentials ? oauthServers() : []) {
          if (await credentials?.remove(user, server)) removed.push(server.id);
        }
        return removed;
      },
    },
  };
}

/** Tokens for the admin port: of one issuer, and never those with the gateway's general audience. */
function authenticatorOf(config: GatewayConfig, engine: Engine): Authenticate | undefined {
  const issuers = issuersOf(config);
  const { issuer: wanted } = config.admin ?? {};
  const issuer = wanted === undefined ? issuers[0] : issuers.find((one) => one.issuer === wanted);
  if (!issuer) return undefined;
  const { audience: _general, ...rest } = issuer;
  return jwtAuthenticator(rest, { store: storeIn(engine) });
}

/** The users that a gateway notes for its admin port. None without one. */
export function openUsers(
  { admin }: Pick<GatewayConfig, "admin">,
  engine: Engine,
): { directory: UserDirectory | undefined; recorders: Recorder[]; close(): void } {
  if (!admin) return { directory: undefined, recorders: [], close: () => {} };
  const directory = createUserDirectory(engine);
  const recorder: Recorder = {
    admit: ({ caller }) => void directory.see(caller),
    refused: () => {},
    answered: () => {},
  };
  return { directory, recorders: [recorder], close: directory.close };
}
