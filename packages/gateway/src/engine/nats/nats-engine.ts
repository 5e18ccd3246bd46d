// An engine on NATS with JetStream, for many processes. The bus is core NATS, buckets and log are streams in
// files, blobs the object store; all names begin with a prefix, so that several deployments share a cluster.

import type { Caps, Engine } from "../engine.ts";
import { closedError, EngineError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { dial, type NatsCredentials, type NatsNotice, type NatsTls } from "./dialing.ts";
import { NatsBlobs } from "./nats-blobs.ts";
import { NatsBus } from "./nats-bus.ts";
import type { ApiError } from "./nats-error.ts";
import { NatsBuckets } from "./nats-kv.ts";
import { NatsLog } from "./nats-log.ts";

/** How an engine on NATS is opened. */
export interface NatsEngineOptions {
  /** `nats://host:port` or `tls://host:port`; one is enough, it names the others. */
  servers: readonly string[];
  credentials?: NatsCredentials;
  tls?: NatsTls;
  /** What all names begin with: one for each deployment. "vitrine". */
  prefix?: string;
  /** Copies of what is stored. Three in a cluster, one on a single server. */
  replicas?: 1 | 3 | 5;
  /** What operators see in the list of connections. */
  name?: string;
  /** Bytes of a partition of the log; beyond, `full`. */
  maxLogBytes?: number;
  /** How long `append` remembers an id, two minutes. */
  dedupeTime?: number;
  /** What an operator should know: a server lost or found. */
  onNotice?(notice: NatsNotice): void;
  /** What a subscriber, watcher or consumer threw. */
  onError?(error: unknown): void;
}

const PREFIX = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** Of what a server takes: the rest is for headers and for what a batch adds to its records. */
const SHARE = 7 / 8;
const LARGEST = 8 * 2 ** 20;
/** A cluster that was started together with us needs some time to find its leader. */
const OPEN_TIME = 20_000;

/** Opens an engine on NATS. */
export async function openNatsEngine(options: NatsEngineOptions): Promise<Engine> {
  const { servers, credentials, tls, prefix = "vitrine", name = "vitrine" } = options;
  const { dedupeTime = 120_000, maxLogBytes, onNotice = () => {} } = options;
  const { onError = () => {} } = options;
  if (!PREFIX.test(prefix)) {
    const text = `"${prefix}" is no prefix; it takes up to 32 of a–z, 0–9, "_" and "-".`;
    throw new EngineError("invalid", text);
  }
  const connection = await dial({
    ...{ servers, name, onNotice },
    ...(credentials && { credentials }),
    ...(tls && { tls }),
  });
  try {
    await checkJetStream(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const { info } = connection.nc;
  const replicas = options.replicas ?? (info?.cluster ? 3 : 1);
  const maxPayload = info?.max_payload ?? 2 ** 20;
  // Even, so that half of it is a number of bytes too.
  const maxBytes = 2 * Math.floor((Math.min(maxPayload, LARGEST) * SHARE) / 2);
  const shared = { prefix, replicas, maxBytes, onError };
  const bus = new NatsBus(connection, { prefix, maxBytes, onError });
  const log = new NatsLog(connection, { ...shared, maxPayload, dedupeTime, maxLogBytes });
  const buckets = new NatsBuckets(connection, shared);
  const blob = new NatsBlobs(connection, { prefix, replicas });
  let closing: Promise<void> | undefined;
  return {
    ...{ bus, log, blob, caps: capsOf(connection, { maxBytes, dedupeTime }) },
    kv: (bucket, wanted) => {
      if (closing) throw closedError();
      return buckets.kv(bucket, wanted);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };

  async function close(): Promise<void> {
    bus.close();
    log.close();
    buckets.close();
    await connection.close();
  }
}

async function checkJetStream(connection: Connection): Promise<void> {
  const question = { what: "JetStream", timeout: OPEN_TIME, again: 1_000 };
  const msg = await connection.ask("$JS.API.INFO", question).catch((cause: unknown) => {
    const text =
      "NATS answers, but its JetStream does not; switch it on for this account, or wait until the cluster has a leader.";
    throw new EngineError("unavailable", text, { cause });
  });
  const { error } = msg.json<{ error?: ApiError }>();
  if (!error) return;
  const text = `JetStream refuses us (${error.description}); switch it on for this account.`;
  throw new EngineError("unavailable", text);
}

function capsOf(
  { nc }: Connection,
  { maxBytes, dedupeTime }: Pick<Caps, "maxBytes" | "dedupeTime">,
): Caps {
  return {
    driver: "nats",
    version: nc.info?.version ?? "unknown",
    perKeyTtl: true,
    expiryEvents: true,
    // A server syncs every two minutes unless `sync_interval` is `always`, which a client cannot see.
    fsyncBeforeAck: false,
    shared: true,
    maxBytes,
    dedupeTime,
  };
}
