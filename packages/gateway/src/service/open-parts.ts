// Opens the parts of a gateway from its configuration.

import { hostname } from "node:os";
import { AUDIT_VIEWS } from "../audit/audit-views.ts";
import { openLogId } from "../audit/index.ts";
import type { EngineConfig, GatewayConfig } from "../config/config.ts";
import { createSealer, type Sealer } from "../crypto/sealing.ts";
import {
  createMemoryEngine,
  type Engine,
  EngineError,
  openSqliteEngine,
  type Resealing,
  sealEngine,
} from "../engine/index.ts";
import { type Credentials, createCredentials } from "../identity/credentials/credentials.ts";
import type { Log } from "../observability/log.ts";
import type { NatsEngineOptions, SpoolDepth } from "./cluster-port.ts";
import type { Key, Keyring } from "./keyring.ts";
import { loadCluster } from "./load-cluster.ts";
import { OperatorError } from "./operator-error.ts";

const UNREADABLE_INTERVAL = 10_000;

/** How the engine is watched, and how it logs in. */
export interface OpenEngineOptions {
  onLink?(isConnected: boolean): void;
  login?: EngineConfig["login"] | undefined;
}

/** Opens the engine. */
export async function openEngine(
  { engine }: GatewayConfig,
  log: Log,
  { onLink = () => {}, login = engine.login }: OpenEngineOptions = {},
): Promise<Engine> {
  let isAway = false;
  const onError = (error: unknown): void => {
    // The outage itself was already logged. Operations that fail during it would be logged every few seconds.
    const level = isAway ? "debug" : "error";
    log[level]({ cause: `${error}` }, "engine failed");
  };
  const onNotice = ({ kind, text }: { kind: string; text: string }): void => {
    if (kind === "disconnected" || kind === "reconnected") {
      isAway = kind === "disconnected";
      onLink(!isAway);
    }
    log[kind === "lost" ? "error" : "warn"]({ kind }, text);
  };
  const { driver, folder, maxLogBytes } = engine;
  const limits = { onError, ...(maxLogBytes !== undefined && { maxLogBytes }) };
  try {
    if (driver === "nats")
      return await openNats({ ...engine, ...(login && { login }) }, { ...limits, onNotice });
    if (driver === "memory" || folder === undefined) return createMemoryEngine(limits);
    return await openSqliteEngine({ folder, views: AUDIT_VIEWS, onNotice, ...limits });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const setting = driver === "nats" ? "engine" : "engine.folder";
    throw new OperatorError("engine", `${setting}: ${error.message}`);
  }
}

/** Seals the values of an engine's key-value store, because others with write access to it aren't trusted. */
export function sealStore(
  engine: Engine,
  { store }: Pick<Keyring, "store">,
  log: Log,
): Engine & Resealing {
  let lastLogged = 0;
  return sealEngine(engine, {
    sealer: storeSealer(store),
    onUnreadable: ({ bucket, key }) => {
      // A store full of unreadable values must not fill the log as well.
      if (Date.now() - lastLogged < UNREADABLE_INTERVAL) return;
      lastLogged = Date.now();
      log.warn(
        { bucket, key },
        "a stored value can't be opened and counts as absent: someone else wrote it, or the key changed",
      );
    },
  });
}

/** After a rotation, seals the values of the old keys with the new one, and logs when that is done. */
export async function resealStore(
  engine: Resealing,
  { store }: Pick<Keyring, "store">,
  log: Log,
): Promise<void> {
  const [first, ...others] = store;
  if (others.length === 0) return;
  try {
    const changed = await engine.reseal();
    log.info({ key: first?.id, changed }, "all stored values use the first key of store.key");
  } catch (error) {
    log.error(
      { cause: `${error}` },
      "stored values can't be sealed with the first key of store.key",
    );
  }
}

/** The sealer that opens the values of a store. */
export function storeSealer(keys: readonly Key[]): Sealer {
  return createSealer(keys, { purpose: "store" });
}

async function openNats(
  { servers = [], prefix, replicas, login, tls, node }: EngineConfig,
  rest: Pick<NatsEngineOptions, "onError" | "onNotice" | "maxLogBytes">,
): Promise<Engine> {
  const { openNatsEngine } = await loadCluster();
  return openNatsEngine({
    ...{ servers, name: `vitrine-gateway ${nodeName(node)}` },
    ...(prefix !== undefined && { prefix }),
    ...(replicas !== undefined && { replicas }),
    ...(login && { credentials: login }),
    ...(tls && { tls }),
    ...rest,
  });
}

/** With a remote engine and a local folder, stores records in the folder until the engine has them. */
export async function openAuditEngine(
  engine: Engine,
  { config, keyring, log }: { config: GatewayConfig; keyring: Keyring; log: Log },
): Promise<{ engine: Engine; depth?: () => SpoolDepth; close(): Promise<void> }> {
  const { driver, folder } = config.engine;
  if (driver !== "nats" || folder === undefined) return { engine, close: async () => {} };
  const onError = (error: unknown): void =>
    log.debug({ cause: `${error}` }, "audit records are waiting in the folder");
  const onNotice = ({ kind, text }: { kind: string; text: string }): void =>
    log.warn({ kind }, text);
  try {
    const opened = await openSqliteEngine({ folder, onError, onNotice });
    const local = sealStore(opened, keyring, log);
    const { openSpooledEngine } = await loadCluster();
    const logId = await openLogId(engine);
    const spooled = await openSpooledEngine(engine, { local, onError, logId }, ["audit"]);
    return { engine: spooled, depth: () => spooled.depth, close: () => spooled.close() };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new OperatorError("engine", `engine.folder: ${error.message}`);
  }
}

/** The name of this process in the audit log and in the cluster. */
export function nodeName(given?: string): string {
  const name = given ?? hostname().replace(/[^A-Za-z0-9_-]/g, "-");
  return name.slice(0, 64) || "gateway";
}

/** Per-user logins, if there is a public address to redirect to. */
export function openCredentials(
  { listen, origins, servers }: GatewayConfig,
  engine: Engine,
  keyring: Keyring,
): Credentials | undefined {
  // A reload may add a server with logins, if there is a public address.
  const isWanted = Object.values(servers).some(({ oauth }) => oauth !== undefined);
  const { publicUrl } = listen;
  if (publicUrl === undefined) {
    if (isWanted)
      throw new OperatorError(
        "server",
        "listen.publicUrl is missing. Set it, because logins redirect there.",
      );
    return undefined;
  }
  return createCredentials({ engine, keys: keyring.credentials, publicUrl, origins });
}
