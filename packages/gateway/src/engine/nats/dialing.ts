// How a server is found, left and found again. The client's own times would keep it for minutes on a server
// that is frozen: it asks every second, gives up after two silences, and gives the next one a second.

import { readFile } from "node:fs/promises";
import {
  type Authenticator,
  credsAuthenticator,
  type NatsConnection,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { EngineError } from "../errors.ts";
import { Connection } from "./connection.ts";

/** Who we are to NATS; one of the ways. */
export interface NatsCredentials {
  user?: string;
  password?: string;
  token?: string;
  /** A file as `nsc` writes it. */
  credsFile?: string;
}

/** How the line is encrypted; an empty object for what the system trusts. */
export interface NatsTls {
  caFile?: string;
  certFile?: string;
  keyFile?: string;
}

/** Where NATS is. */
export interface DialOptions {
  /** `nats://host:port` or `tls://host:port`; one is enough, it names the others. */
  servers: readonly string[];
  credentials?: NatsCredentials;
  tls?: NatsTls;
  /** What operators see in the list of connections. */
  name: string;
  onNotice(notice: NatsNotice): void;
}

/** What an operator should know. */
export interface NatsNotice {
  readonly kind: "disconnected" | "reconnected" | "refused";
  readonly text: string;
}

const PING_INTERVAL = 1_000;
const SILENCES = 2;
const DIAL_TIME = 1_000;
const PAUSE = 250;
/** Older servers take a time to live for a key and forget it: a lease that never ends. */
const FLOOR: readonly [number, number] = [2, 11];

/** Connects, or says why not. */
export async function dial(options: DialOptions): Promise<Connection> {
  const { servers, credentials, tls, name } = options;
  if (servers.length === 0)
    throw new EngineError("invalid", "servers is empty; name one at least.");
  const authenticator = await authenticatorOf(credentials);
  let nc: NatsConnection;
  const line = {
    ...{ servers: [...servers], name, noAsyncTraces: true, timeout: DIAL_TIME },
    ...(authenticator && { authenticator }),
    ...(tls && { tls }),
  };
  try {
    // Each server of a cluster names the others, also to who is refused: with a password that is wrong the
    // client would go round among them for ever, as fast as it can. So it is tried once without them.
    await (await connect({ ...line, reconnect: false, ignoreClusterUpdates: true })).close();
    nc = await connect({
      ...line,
      pingInterval: PING_INTERVAL,
      maxPingOut: SILENCES,
      maxReconnectAttempts: -1,
      // Also with a password that is wrong for a moment: who runs for months does not give up.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: PAUSE,
      reconnectJitter: PAUSE,
    });
  } catch (cause) {
    const text = `NATS cannot be reached at ${servers.map(withoutSecrets).join(", ")} (${wordsOf(cause)}); start it, or mend the servers, credentials or TLS.`;
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
      onNotice({ kind: "disconnected", text: `NATS at ${status.server} is gone.` });
    }
    if (status.type === "error") {
      // A permission that is missing, most of all: else it is only a silence.
      onNotice({ kind: "refused", text: `NATS refuses: ${status.error.message}.` });
    }
    if (status.type === "reconnect") {
      const refusal = refusalOf(nc);
      connection.setConnected(true, refusal);
      const text = refusal?.message ?? `NATS at ${status.server} has us.`;
      onNotice({ kind: refusal ? "refused" : "reconnected", text });
    }
  }
}

/** Why a server will not do. */
function refusalOf({ info }: NatsConnection): EngineError | undefined {
  const [major = 0, minor = 0] = (info?.version ?? "").split(".").map(Number);
  const [needed, least] = FLOOR;
  if (major > needed || (major === needed && minor >= least)) return undefined;
  const text = `nats-server ${info?.version ?? "of no version"} at ${info?.host}:${info?.port} is too old; ${needed}.${least}.0 or newer is needed, because older ones forget the time to live of a key.`;
  return new EngineError("unavailable", text);
}

async function authenticatorOf(given?: NatsCredentials): Promise<Authenticator | undefined> {
  if (!given) return undefined;
  const { user, password, token, credsFile } = given;
  if (credsFile !== undefined) {
    const creds = await readFile(credsFile).catch((cause: unknown) => {
      const text = `${credsFile} cannot be read (${wordsOf(cause)}); name the file that nsc wrote.`;
      throw new EngineError("invalid", text, { cause });
    });
    return credsAuthenticator(creds);
  }
  if (token !== undefined) return tokenAuthenticator(token);
  return user === undefined ? undefined : usernamePasswordAuthenticator(user, password);
}

function withoutSecrets(server: string): string {
  return server.replace(/\/\/[^@/]*@/, "//");
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
