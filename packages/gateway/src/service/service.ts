// A complete gateway from a configuration: engine, audit log, servers, logins, Sandbox, metrics and health.
// Parts are closed in the reverse order of opening.

import { isLoopbackHost } from "../config/config.ts";
import type { LoadedConfig } from "../config/load.ts";
import { basePathOf } from "../edge/base-path.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../gateway.ts";
import { createTickets } from "../identity/view-ticket.ts";
import { createHealth } from "../observability/health.ts";
import { type Log, logRecorder } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { joinRecorders } from "../observability/recorders.ts";
import { createScrubber, type Scrubber } from "../observability/scrubber.ts";
import { createServerReports } from "../observability/server-reports.ts";
import { addStorageMetrics } from "../observability/storage-metrics.ts";
import { auditRecorder } from "../policy/audit-recorder.ts";
import { receiptEntry } from "../policy/receipt.ts";
import { TenantLimits } from "../policy/tenant-limits.ts";
import { addBuildMetric } from "./build-metric.ts";
import { childUserFinder } from "./child-users.ts";
import type { Cluster } from "./cluster-port.ts";
import { addIdentityRoutes, openSigningKeys } from "./identity-routes.ts";
import { addIssuerMetrics } from "./issuer-metrics.ts";
import { openKeyring } from "./keyring.ts";
import { createLiveSettings } from "./live-settings.ts";
import { openAdmin, openUsers } from "./open-admin.ts";
import { openArchiver } from "./open-archiver.ts";
import { openRecords } from "./open-audit.ts";
import { openCluster } from "./open-cluster.ts";
import { createIdentities } from "./open-identity.ts";
import { openIsolation } from "./open-isolation.ts";
import { openLogin } from "./open-login.ts";
import {
  openAuditEngine,
  openCredentials,
  openEngine,
  resealStore,
  sealStore,
} from "./open-parts.ts";
import { openPolicy } from "./open-policy.ts";
import { createSpawnSlots } from "./open-server.ts";
import { openSinks } from "./open-sinks.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { OperatorError } from "./operator-error.ts";
import { openOperatorServer, portError } from "./operator-server.ts";
import { openOutboundProxy } from "./outbound-proxy.ts";
import { createReloader } from "./reload.ts";
import { addRoutes } from "./routes.ts";
import { sandboxOf } from "./sandbox.ts";
import { runSelfTest } from "./self-test.ts";
import { createServerProbes } from "./server-probes.ts";
import { createServerSet } from "./server-set.ts";

/** A running gateway. */
export interface Service {
  readonly gateway: Gateway;
  /** Empty for a process without the role edge. */
  readonly url: string;
  readonly operatorUrl: string | undefined;
  readonly sandboxUrl: string | undefined;
  readonly adminUrl: string | undefined;
  /** Shown once. Undefined unless it was generated here. */
  readonly devToken: string | undefined;
  /** Reloads the configuration. */
  reload(): Promise<void>;
  /** Waits for running calls, then closes everything. Idempotent. */
  close(): Promise<void>;
}

/** The environment of a service. */
export interface ServiceOptions {
  log: Log;
  environment?: Readonly<Record<string, string | undefined>>;
  /** Called with the secrets to scrub, again after each reload. */
  onScrubber?(scrubber: Scrubber): void;
  /** Milliseconds between two checks of the configuration file. */
  interval?: number;
  /** Ends a start that isn't complete. */
  signal?: AbortSignal;
}

/** Starts everything. If a part fails, closes what was already started. */
export async function startService(
  loaded: LoadedConfig,
  options: ServiceOptions,
): Promise<Service> {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) {
      await Promise.resolve(close()).catch((error: unknown) => {
        options.log.error({ cause: `${error}` }, "shutdown failed");
      });
    }
  };
  try {
    const starting = assemble(loaded, options, { closers, closeAll });
    return await Promise.race([starting, stopped(options.signal)]);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Rejects when the start is to be stopped. */
function stopped(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void =>
      reject(new OperatorError("stopped", "The gateway was stopped before it had started."));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

interface Closing {
  closers: (() => Promise<unknown> | unknown)[];
  closeAll(): Promise<void>;
}

async function assemble(
  loaded: LoadedConfig,
  { log, environment = process.env, onScrubber = () => {}, interval }: ServiceOptions,
  { closers, closeAll }: Closing,
): Promise<Service> {
  const { config, secrets } = loaded;
  const { listen, drain } = config;
  const link = { isConnected: true, reconnects: 0 };
  const live = createLiveSettings(config);
  const { proxy, close: closeProxy } = openOutboundProxy(config, live);
  closers.push(closeProxy);
  const opened = await openEngine(config, log, {
    login: live.engineLogin,
    onLink: (isConnected) => {
      link.isConnected = isConnected;
      if (isConnected) link.reconnects += 1;
    },
  });
  closers.push(() => opened.close());
  const keyring = await openKeyring(config);
  const engine = sealStore(opened, keyring, log);
  runSelfTest(log);
  const joined = await openCluster(engine, { config, keyring, log, unsealed: opened });
  const cluster = joined?.cluster;
  closers.push(() => joined?.close());
  // Closed after the audit log, because it still archives the log's last step.
  const archiver = await openArchiver(config, engine, log);
  closers.push(() => archiver?.close());
  // Closed after the audit log too: its last records are still sent.
  const sinks = openSinks(config, engine, log);
  closers.push(() => sinks?.close());
  const auditing = await openAuditEngine(engine, { config, keyring, log });
  closers.push(auditing.close);
  const records = await openRecords(config, { engine: auditing.engine, keyring, log, live });
  closers.push(records.close);
  const { audit, book } = records;
  const metrics = createMetrics();
  closers.push(() => metrics.close());
  const signing = openSigningKeys(config, keyring);
  const login = openLogin(config, engine, { log, signing });
  const { authenticate, devToken, published, states, canLogIn } = login;
  const health = createHealth({ engine, audit, canLogIn, obstacles: joined?.obstacles });
  const credentials = openCredentials(config, engine, keyring);
  closers.push(() => credentials?.close());
  const hasOneUser = config.auth.mode === "dev";
  const spawns = createSpawnSlots({ hasOneUser });
  const childUser = childUserFinder(config);
  const isolation = openIsolation(loaded, { log });
  closers.push(isolation.close);
  await isolation.prepare(config.servers);
  const programs = { childUser, runnerFor: isolation.runnerFor };
  const reports = createServerReports();
  const users = openUsers(config, engine);
  closers.push(users.close);
  const identities = createIdentities({ issuer: listen.publicUrl, signing, engine, proxy });
  const parts = {
    identities,
    reports,
    proxy,
    metrics,
    log,
    credentials,
    spawns,
    cluster,
    hasOneUser,
    ...programs,
  };
  const servers = createServerSet(config.servers, parts);
  onScrubber(createScrubber([...secrets, ...(devToken ? [devToken] : [])]));
  const tickets = createTickets({ keys: keyring.tickets, lifetime: config.tickets.lifetime });
  const telemetry = openTelemetry(config, metrics, log);
  closers.push(telemetry.close);
  const recorder = joinRecorders(
    auditRecorder(audit),
    [...telemetry.recorders, ...users.recorders, metrics.recorder, logRecorder(log)],
    (error) => log.error({ cause: `${error}` }, "a recorder failed"),
  );
  const { limits } = config;
  const policy = await openPolicy(config, { log, interval });
  closers.push(policy.close);
  const tenants = openTenantLimits(config, { cluster, closers });
  const prepared = sandboxOf(config, keyring.sandbox.secret);
  const gateway = createGateway({
    engine,
    sandbox: prepared?.credentials,
    servers: servers.opened,
    hosts: listen.hosts,
    trustedProxies: listen.trustedProxies,
    origins: config.origins,
    authenticate,
    login: published,
    basePath: basePathOf(listen.publicUrl),
    access: policy.access,
    tickets,
    recorder,
    onRejected: book.recordRejection,
    onReceipt: (from, receipt) => audit.record(receiptEntry(from, receipt)),
    limits: {
      ...{ ...limits, rates: limits, connections: limits, traffic: limits, tenants },
      documents: config.documents.keepBytes,
    },
    ...factsOf(cluster),
  });
  gateway.revocations.onRevoked((user) => void identities.forget(user));
  // The gateway closes its servers too. Before it exists, nothing would.
  closers.push(() => gateway.close({ drain: drain.time }));
  metrics.watch({ views: () => gateway.views, audit, isDraining: () => health.isDraining });
  addBuildMetric(metrics.sink, cluster);
  addStorageMetrics(metrics.sink, {
    ...{ tenants, spool: auditing.depth, link: cluster && link },
    archive: archiver && (() => archiver.state),
  });
  if (config.auth.mode === "jwt") addIssuerMetrics(metrics.sink, states);
  cluster?.addMetrics(metrics.sink);
  sinks?.addMetrics(metrics.sink);
  const names = new Set(listen.hosts.map((name) => name.toLowerCase()));
  const admission = { authenticate, tickets, credentials, names };
  addRoutes({ gateway, config, servers, health, metrics, audit, log, ...admission });
  addIdentityRoutes({ gateway, config, engine, signing, servers, audit, log });
  const isEdge = config.cluster.roles.includes("edge");
  const { url, port } = isEdge ? await openPort(gateway, listen) : { url: "", port: 0 };
  for (const name of isLoopbackHost(listen.host) ? ["localhost", "127.0.0.1", "[::1]"] : []) {
    names.add(`${name}:${port}`);
  }
  const sandbox = await prepared?.open(log);
  if (sandbox) closers.push(sandbox.close);
  const operator =
    config.operator &&
    (await openOperatorServer(config.operator, {
      ...{ health, metrics, token: () => live.operatorToken },
    }));
  // Closed last, so that health checks are answered during the drain.
  if (operator) closers.unshift(operator.close);
  const probes = createServerProbes({
    servers: gateway.servers,
    config: servers.config,
    isPaused: (id) => gateway.states.paused(id) !== undefined,
    reports,
  });
  closers.push(probes.close);
  const admin = await openAdmin({
    ...{ config, live, engine, keyring, gateway, servers, credentials, audit, health },
    ...{ reports, probes, users: users.directory, metrics, log },
  });
  closers.push(admin.close);
  const reloader = createReloader({
    loaded,
    environment,
    log,
    ...(interval !== undefined && { interval }),
    apply: async (next, nextSecrets) => {
      await isolation.prepare(next.servers);
      const changes = await servers.apply(next.servers, gateway);
      live.use(next);
      onScrubber(createScrubber([...secrets, ...nextSecrets, ...(devToken ? [devToken] : [])]));
      audit.record({ event: "operator", detail: { action: "reload", ...changes } });
      return changes;
    },
  });
  closers.push(reloader.close);
  audit.record({
    event: "operator",
    detail: { action: "start", servers: Object.keys(config.servers) },
  });
  // Runs at the start too, so that a gateway that restarts daily also deletes expired data.
  records.deleteExpired();
  void resealStore(engine, keyring, log);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    health.drain();
    log.info({ drain }, "closing");
    await new Promise((resolve) => setTimeout(resolve, drain.delay));
    audit.record({ event: "operator", detail: { action: "stop" } });
    await closeAll();
    log.info("closed");
  };
  return {
    gateway,
    url,
    operatorUrl: operator && `http://${config.operator?.host}:${operator.port}`,
    sandboxUrl: sandbox?.url,
    adminUrl: admin.url,
    devToken,
    reload: reloader.reload,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Facts about the other gateways that share the engine. */
function factsOf(cluster: Cluster | undefined): Pick<GatewayOptions, "silence" | "gateways"> {
  if (!cluster) return {};
  const { membership } = cluster;
  return {
    silence: () => membership.silence,
    gateways: () => 1 + membership.members("edge").length,
  };
}

function openTenantLimits(
  { limits: { tenantPerMinute: perMinute } }: LoadedConfig["config"],
  { cluster, closers }: { cluster: Cluster | undefined } & Pick<Closing, "closers">,
): TenantLimits | undefined {
  if (perMinute === undefined) return undefined;
  const tenants = new TenantLimits({ perMinute });
  if (cluster) closers.push(cluster.shareTenants(tenants));
  return tenants;
}

function openPort(
  gateway: Gateway,
  listen: LoadedConfig["config"]["listen"],
): ReturnType<Gateway["listen"]> {
  return gateway.listen(listen).catch((error: NodeJS.ErrnoException) => {
    throw portError(error, { ...listen, what: "listen.port" });
  });
}
