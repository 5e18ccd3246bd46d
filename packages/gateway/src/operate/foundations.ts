// What a gateway stands on, as the configuration has it.

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type Cluster, joinCluster } from "../cluster/cluster.ts";
import { openSpooledEngine, type SpoolDepth } from "../cluster/spooled-engine.ts";
import type { EngineConfig, GatewayConfig } from "../config/config.ts";
import {
  createMemoryEngine,
  type Engine,
  EngineError,
  openFileEngine,
  sealEngine,
} from "../engine/index.ts";
import type { NatsEngineOptions } from "../engine/nats/index.ts";
import { type Credentials, createCredentials } from "../identity/credentials/credentials.ts";
import { type Authenticate, devAuthenticator, jwtAuthenticator } from "../identity/user-token.ts";
import { createSealer, type Sealer } from "../sealing.ts";
import { beatGuard } from "../upstreams/stdio/orphan-guard.ts";
import type { Key, Keyring } from "./keyring.ts";
import type { Log } from "./log.ts";
import { OperatorError } from "./operator-error.ts";

const UNREADABLE_INTERVAL = 10_000;

/** Opens the engine. */
export async function openEngine(
  { engine }: GatewayConfig,
  log: Log,
  onLink: (isConnected: boolean) => void = () => {},
): Promise<Engine> {
  let isAway = false;
  const onError = (error: unknown): void => {
    // That it is away was said; what cannot be done meanwhile would be said every few seconds.
    const level = isAway ? "debug" : "error";
    log[level]({ cause: `${error}` }, "engine failed");
  };
  const onNotice = ({ kind, text }: { kind: string; text: string }): void => {
    if (kind === "disconnected" || kind === "reconnected") {
      isAway = kind === "disconnected";
      onLink(!isAway);
    }
    log.warn({ kind }, text);
  };
  const { driver, folder, maxLogBytes } = engine;
  const room = { onError, ...(maxLogBytes !== undefined && { maxLogBytes }) };
  try {
    if (driver === "nats") return await openNats(engine, { ...room, onNotice });
    if (driver === "memory" || folder === undefined) return createMemoryEngine(room);
    return await openFileEngine({ folder, onNotice, ...room });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const setting = driver === "nats" ? "engine" : "engine.folder";
    throw new OperatorError("engine", `${setting}: ${error.message}`);
  }
}

/** Seals the values of an engine's key-value store: whoever can write to it isn't trusted. */
export function sealStore(engine: Engine, { store }: Pick<Keyring, "store">, log: Log): Engine {
  let isTold = 0;
  return sealEngine(engine, {
    sealer: storeSealer(store),
    onUnreadable: ({ bucket, key }) => {
      // A store full of unreadable values must not fill the log as well.
      if (Date.now() - isTold < UNREADABLE_INTERVAL) return;
      isTold = Date.now();
      log.warn(
        { bucket, key },
        "a stored value can't be opened and counts as absent: someone else wrote it, or the key changed",
      );
    },
  });
}

/** What opens the values of a store. */
export function storeSealer(keys: readonly Key[]): Sealer {
  return createSealer(keys, { purpose: "store" });
}

async function openNats(
  { servers = [], prefix, replicas, login, tls, node }: EngineConfig,
  rest: Pick<NatsEngineOptions, "onError" | "onNotice" | "maxLogBytes">,
): Promise<Engine> {
  // Whoever has no NATS does not pay for its client.
  const { openNatsEngine } = await import("../engine/nats/index.ts");
  return openNatsEngine({
    ...{ servers, name: `vitrine-gateway ${nodeName(node)}` },
    ...(prefix !== undefined && { prefix }),
    ...(replicas !== undefined && { replicas }),
    ...(login && { credentials: login }),
    ...(tls && { tls }),
    ...rest,
  });
}

/** Where the engine is elsewhere and there is a folder, records are safe in it until the engine has them. */
export async function openAuditEngine(
  engine: Engine,
  { config, keyring, log }: { config: GatewayConfig; keyring: Keyring; log: Log },
): Promise<{ engine: Engine; depth?: () => SpoolDepth; close(): Promise<void> }> {
  const { driver, folder } = config.engine;
  if (driver !== "nats" || folder === undefined) return { engine, close: async () => {} };
  const onError = (error: unknown): void =>
    log.debug({ cause: `${error}` }, "audit records wait in the folder");
  const onNotice = ({ kind, text }: { kind: string; text: string }): void =>
    log.warn({ kind }, text);
  try {
    const opened = await openFileEngine({ folder, onError, onNotice });
    const local = sealStore(opened, keyring, log);
    const spooled = await openSpooledEngine(engine, { local }, ["audit"]);
    return { engine: spooled, depth: () => spooled.depth, close: () => spooled.close() };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new OperatorError("engine", `engine.folder: ${error.message}`);
  }
}

/** Where several processes share an engine, they behave as one. */
export async function openCluster(
  engine: Engine,
  {
    config,
    keyring,
    log,
    onRefused = () => {},
  }: { config: GatewayConfig; keyring: Keyring; log: Log; onRefused?: (code: string) => void },
): Promise<Cluster | undefined> {
  if (!engine.caps.shared) return undefined;
  const { roles } = config.cluster;
  const cluster = await joinCluster(engine, {
    roles,
    secret: keyring.cluster,
    onRefused: (code, reason) => {
      onRefused(code);
      log.warn({ code, reason }, "envelope refused");
    },
  });
  const { membership } = cluster;
  membership.onJoin((epoch) => log.info({ epoch, roles }, "joined"));
  membership.onFence(() =>
    log.warn("lost touch with the engine: what this process owned is ended"),
  );
  // Children end by their guard where this process cannot see to it, because it is stopped.
  membership.onBeat(beatGuard);
  return cluster;
}

/** The name of this process in the audit log, and among those that share an engine. */
export function nodeName(given?: string): string {
  const name = given ?? hostname().replace(/[^A-Za-z0-9_-]/g, "-");
  return name.slice(0, 64) || "gateway";
}

/** Per-user log-ins, where there is an address to come back to. */
export function openCredentials(
  { listen, origins, servers }: GatewayConfig,
  engine: Engine,
  keyring: Keyring,
): Credentials | undefined {
  // A server with log-ins may come with a reload, if there is an address to come back to.
  const isWanted = Object.values(servers).some(({ oauth }) => oauth !== undefined);
  const { publicUrl } = listen;
  if (publicUrl === undefined) {
    if (isWanted) throw new OperatorError("server", "listen.publicUrl is missing.");
    return undefined;
  }
  return createCredentials({ engine, keys: keyring.credentials, publicUrl, origins });
}

/** Who is let in; with the token that was made for it, if one was. */
export function openDoor(
  { auth }: GatewayConfig,
  log: Log,
): { authenticate: Authenticate; devToken?: string } {
  if (auth.mode === "jwt") {
    const check = jwtAuthenticator(auth);
    const authenticate: Authenticate = (token) =>
      check(token).catch((error: unknown) => {
        // Nobody gets in; that must not be found out from the users.
        log.error({ jwks: auth.jwks, cause: `${error}` }, "keys of the issuer cannot be had");
        throw error;
      });
    return { authenticate };
  }
  if (auth.token !== undefined) return { authenticate: devAuthenticator(auth.token) };
  const devToken = randomBytes(32).toString("base64url");
  return { authenticate: devAuthenticator(devToken), devToken };
}
