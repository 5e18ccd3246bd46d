// Connects and reconnects to NATS. With its default timeouts the client would stay on a frozen server for
// minutes. Here it pings every second, gives up after two missed replies, and allows a second per attempt.

import { readFileSync } from "node:fs";
import {
  type Authenticator,
  credsAuthenticator,
  type NatsConnection,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import type { NatsCredentials, NatsNotice, NatsTls } from "@vitrine/gateway/cluster-port";
import { EngineError } from "@vitrine/gateway/engine";
import { Connection } from "./connection.ts";

/** How to reach NATS. */
export interface DialOptions {
  /** `nats://host:port` or `tls://host:port`. One is enough, because it announces the others. */
  servers: readonly string[];
  credentials?: NatsCredentials;
  tls?: NatsTls;
  /** What operators see in the list of connections. */
  name: string;
  onNotice(notice: NatsNotice): void;
}

const PING_INTERVAL = 1_000;
const SILENCES = 2;
const DIAL_TIME = 1_000;
const PAUSE = 250;
/** Older servers accept a TTL of a key and ignore it, so leases would never end. */
const FLOOR: readonly [number, number] = [2, 11];

/** Connects. Throws an `EngineError` with the reason if it can't. */
export async function dial(options: DialOptions): Promise<Connection> {
  const { servers, credentials, tls, name } = options;
  if (servers.length === 0)
    throw new EngineError("invalid", "`servers` is empty. Add at least one server.");
  const authenticator = authenticatorOf(credentials);
  let nc: NatsConnection;
  const line = {
    ...{ servers: [...servers], name, noAsyncTraces: true, timeout: DIAL_TIME },
    ...(authenticator && { authenticator }),
    ...(tls && { tls }),
  };
  try {
    // Each server of a cluster announces the others, even to a client that it rejects. With a wrong password
    // the client would try them in a loop without a pause, so the first attempt ignores the others.
    await (await connect({ ...line, reconnect: false, ignoreClusterUpdates: true })).close();
    nc = await connect({
      ...line,
      pingInterval: PING_INTERVAL,
      maxPingOut: SILENCES,
      maxReconnectAttempts: -1,
      // A password may be wrong for a moment while it is rotated; a gateway doesn't give up then.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: PAUSE,
      reconnectJitter: PAUSE,
    });
  } catch (cause) {
    const text = `NATS can't be reached at ${servers.map(withoutSecrets).join(", ")} (${wordsOf(cause)}). Start it, or check the servers, credentials and TLS settings.`;
    throw new EngineError("unavailable", text, { cause });
  }
  const refusal = refusalOf(nc);
  if (refusal) {
    await nc.close();
    throw refusal;
  }
  const connection = new Connection(nc);
  void watch(connection, options);
  return connection;
}

async function watch(connection: Connection, { onNotice }: DialOptions): Promise<void> {
  const { nc } = connection;
  for await (const status of nc.status()) {
    if (connection.isClosed) return;
    if (status.type === "disconnect") {
      connection.setConnected(false);
      onNotice({
        kind: "disconnected",
        text: `The connection to NATS at ${status.server} is lost.`,
      });
    }
    if (status.type === "error") {
      // Mostly a missing permission, which would otherwise only show as a timeout.
      onNotice({ kind: "rejected", text: `NATS rejected an operation: ${status.error.message}.` });
    }
    if (status.type === "reconnect") {
      const refusal = refusalOf(nc);
      connection.setConnected(true, refusal);
      const text = refusal?.message ?? `Reconnected to NATS at ${status.server}.`;
      onNotice({ kind: refusal ? "rejected" : "reconnected", text });
    }
  }
}

/** Why a server can't be used, if so. */
function refusalOf({ info }: NatsConnection): EngineError | undefined {
  const [major = 0, minor = 0] = (info?.version ?? "").split(".").map(Number);
  const [needed, least] = FLOOR;
  if (major > needed || (major === needed && minor >= least)) return undefined;
  const text = `nats-server ${info?.version ?? "of unknown version"} at ${info?.host}:${info?.port} is too old: older versions ignore the TTL of a key. Upgrade to ${needed}.${least}.0 or newer.`;
  return new EngineError("unavailable", text);
}

/** Reads the credentials again for each connection, because they may have been rotated. */
function authenticatorOf(given?: NatsCredentials): Authenticator | undefined {
  if (!given) return undefined;
  if (given.credsFile !== undefined) return credsAuthenticator(credsReader(given.credsFile));
  if (given.token !== undefined) return tokenAuthenticator(() => given.token ?? "");
  if (given.user === undefined) return undefined;
  return usernamePasswordAuthenticator(
    () => given.user ?? "",
    () => given.password ?? "",
  );
}

function credsReader(file: string): () => Uint8Array {
  let last: Uint8Array;
  try {
    last = readFileSync(file);
  } catch (cause) {
    const text = `${file} can't be read (${wordsOf(cause)}). Set credsFile to the file that nsc wrote.`;
    throw new EngineError("invalid", text, { cause });
  }
  return () => {
    try {
      last = readFileSync(file);
    } catch {
      // It may be missing for a moment while it is replaced.
    }
    return last;
  };
}

function withoutSecrets(server: string): string {
  return server.replace(/\/\/[^@/]*@/, "//");
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
