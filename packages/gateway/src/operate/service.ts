// A gateway of a configuration: engine, audit log, servers, log-ins, Sandbox, metrics, health. What is
// opened first is closed last.

import { auditWitness } from "../audit-witness.ts";
import { TenantShares } from "../cluster/tenant-shares.ts";
import { isLoopbackHost } from "../config/config.ts";
import type { LoadedConfig } from "../config/load.ts";
import { createGateway, type Gateway } from "../gateway.ts";
import { createTickets } from "../identity/view-ticket.ts";
import { openArchiver } from "./archiving.ts";
import { childUserFinder } from "./child-users.ts";
import {
  openAuditEngine,
  openCluster,
  openCredentials,
  openDoor,
  openEngine,
  sealStore,
} from "./foundations.ts";
import { createHealth } from "./health.ts";
import { openKeyring } from "./keyring.ts";
import { type Log, logWitness } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { openOperatorServer, portError } from "./operator-server.ts";
import { openRecords } from "./records.ts";
import { createReloader } from "./reload.ts";
import { addRoutes } from "./routes.ts";
import { openSandbox, prepareSandbox } from "./sandbox.ts";
import { createScrubber, type Scrubber } from "./scrubber.ts";
import { runSelfTest } from "./self-test.ts";
import { createServerSet } from "./server-set.ts";
import { traceWitness } from "./telemetry.ts";
import { createSpawnSlots } from "./upstreams.ts";
import { joinWitnesses } from "./witnesses.ts";

/** A gateway that runs. */
export interface Service {
  readonly gateway: Gateway;
  /** Empty for a process that is no edge. */
  readonly url: string;
  readonly operatorUrl: string | undefined;
  readonly sandboxUrl: string | undefined;
  /** To be shown once; nothing unless it was made here. */
  readonly devToken: string | undefined;
  /** Reads the configuration again. */
  reload(): Promise<void>;
  /** Lets what is under way come to its end, then closes everything; idempotent. */
  close(): Promise<void>;
}

/** What a service runs in. */
export interface ServiceOptions {
  log: Log;
  environment?: Readonly<Record<string, string | undefined>>;
  /** Hears of the secrets, of which a reload may bring more. */
  onScrubber?(scrubber: Scrubber): void;
  /** Milliseconds between two looks at the configuration. */
  interval?: number;
}

/** Starts everything; what was started is closed again if a part of it cannot be. */
export async function startService(
  loaded: LoadedConfig,
  options: ServiceOptions,
): Promise<Service> {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) {
      await Promise.resolve(close()).catch((error: unknown) => {
        options.log.error({ cause: `${error}` }, "not closed in good order");
      });
    }
  };
  try {
    return await assemble(loaded, options, { closers, closeAll });
  } catch (error) {
    await closeAll();
    throw error;
  }
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
  const link = { isConnected: true, reconnects: 0, refused: 0 };
  const opened = await openEngine(config, log, (isConnected) => {
    link.isConnected = isConnected;
    if (isConnected) link.reconnects += 1;
  });
  closers.push(() => opened.close());
  const keyring = await openKeyring(config);
  const engine = sealStore(opened, keyring, log);
  runSelfTest(log);
  const onRefused = (): void => {
    link.refused += 1;
  };
  const cluster = await openCluster(engine, { config, keyring, log, onRefused });
  closers.push(() => cluster?.close());
  // Closed after the audit log, whose last step it still archives.
  const archiver = await openArchiver(config, engine, log);
  closers.push(() => archiver?.close());
  const auditing = await openAuditEngine(engine, { config, keyring, log });
  closers.push(auditing.close);
  const records = await openRecords(config, { engine: auditing.engine, keyring, log });
  closers.push(records.close);
  const { audit, book } = records;
  const metrics = createMetrics();
  closers.push(() => metrics.close());
  const health = createHealth({ engine, audit });
  const credentials = openCredentials(config, engine, keyring);
  closers.push(() => credentials?.close());
  const hasOneUser = config.auth.mode === "dev";
  const spawns = createSpawnSlots({ hasOneUser });
  const childUser = childUserFinder(config);
  const parts = { metrics, log, credentials, spawns, cluster, hasOneUser, childUser };
  const servers = createServerSet(config.servers, parts);
  const { authenticate, devToken } = openDoor(config, log);
  onScrubber(createScrubber([...secrets, ...(devToken ? [devToken] : [])]));
  const tickets = createTickets({ keys: keyring.tickets, lifetime: config.tickets.lifetime });
  const witness = joinWitnesses(
    auditWitness(audit),
    [...(config.telemetry.traces ? [traceWitness()] : []), metrics.witness, logWitness(log)],
    (error) => log.error({ cause: `${error}` }, "a witness failed"),
  );
  const { limits } = config;
  const perMinute = limits.tenantPerMinute;
  const tenants = perMinute === undefined ? undefined : new TenantShares({ perMinute, cluster });
  closers.push(() => tenants?.close());
  const gateway = createGateway({
    engine,
    servers: servers.opened,
    hosts: listen.hosts,
    origins: config.origins,
    authenticate,
    tickets,
    witness,
    onTurnedAway: book.turnedAway,
    limits: {
      ...{ ...limits, rates: limits, connections: limits, traffic: limits, tenants },
      documents: config.documents.keepBytes,
    },
    silence: cluster && (() => cluster.membership.silence),
  });
  // It closes the servers too; until it exists nobody would have.
  closers.push(() => gateway.close({ drain: drain.time }));
  metrics.watch({ views: () => gateway.views, audit, isDraining: () => health.isDraining });
  metrics.watchCluster({
    ...{ cluster, link, tenants, spool: auditing.depth },
    archive: archiver && (() => archiver.state),
  });
  const names = new Set(listen.hosts.map((name) => name.toLowerCase()));
  const doors = { authenticate, tickets, credentials, names };
  addRoutes({ gateway, config, servers, health, metrics, audit, log, ...doors });
  const isEdge = config.cluster.roles.includes("edge");
  const { url, port } = isEdge ? await openPort(gateway, listen) : { url: "", port: 0 };
  for (const name of isLoopbackHost(listen.host) ? ["localhost", "127.0.0.1", "[::1]"] : []) {
    names.add(`${name}:${port}`);
  }
  const sandbox = isEdge ? await startSandbox(config, keyring.sandbox, log) : undefined;
  if (sandbox) closers.push(sandbox.close);
  const operator =
    config.operator && (await openOperatorServer(config.operator, { health, metrics }));
  // The last to be opened and the first to be closed would say that it is gone; it goes after the drain.
  if (operator) closers.unshift(operator.close);
  const reloader = createReloader({
    loaded,
    environment,
    log,
    ...(interval !== undefined && { interval }),
    apply: async (next, nextSecrets) => {
      const changes = await servers.apply(next.servers, gateway);
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
  // Beside the first calls: a gateway that is restarted daily tidies up as well.
  records.tidy();
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
    devToken,
    reload: reloader.reload,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function openPort(
  gateway: Gateway,
  listen: LoadedConfig["config"]["listen"],
): ReturnType<Gateway["listen"]> {
  return gateway.listen(listen).catch((error: NodeJS.ErrnoException) => {
    throw portError(error, { ...listen, what: "listen.port" });
  });
}

async function startSandbox(
  config: LoadedConfig["config"],
  key: Uint8Array,
  log: Log,
): Promise<Awaited<ReturnType<typeof openSandbox>> | undefined> {
  const { sandbox } = config;
  return sandbox && openSandbox(prepareSandbox(config, sandbox, key), sandbox, log);
}
