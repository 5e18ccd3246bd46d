// An engine on NATS with JetStream, for several processes. The bus is core NATS, buckets and logs are streams
// on disk, blobs are in the object store. All names start with a prefix, so deployments can share a cluster.

import type { NatsEngineOptions } from "@vitrine/gateway/cluster-port";
import type { SharedEngine } from "@vitrine/gateway/engine";
import { closedError, EngineError } from "@vitrine/gateway/engine";
import type { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import { NatsBlobs } from "./nats-blobs.ts";
import { NatsBus } from "./nats-bus.ts";
import type { ApiError } from "./nats-error.ts";
import { NatsBuckets } from "./nats-kv.ts";
import { NatsLog } from "./nats-log.ts";

const PREFIX = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** The usable share of a message; the rest is for headers and for the framing of a batch. */
const SHARE = 7 / 8;
const LARGEST = 8 * 2 ** 20;
/** A cluster that starts together with the gateway needs time to elect a leader. */
const OPEN_TIME = 20_000;

/** Opens an engine on NATS. */
export async function openNatsEngine(options: NatsEngineOptions): Promise<SharedEngine> {
  const { servers, credentials, tls, prefix = "vitrine", name = "vitrine" } = options;
  const { dedupeTime = 120_000, maxLogBytes, onNotice = () => {} } = options;
  const { onError = () => {} } = options;
  if (!PREFIX.test(prefix)) {
    const text = `The prefix "${prefix}" isn't valid. Use up to 32 characters of a–z, 0–9, "_" and "-", starting with a letter or digit.`;
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
    ...{ bus, log, blob, caps: { shared: true, maxBytes, dedupeTime } },
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
    buckets.close();
    await connection.close();
  }
}

async function checkJetStream(connection: Connection): Promise<void> {
  const request = { what: "JetStream", timeout: OPEN_TIME, retryAfter: 1_000 };
  const msg = await connection.request("$JS.API.INFO", request).catch((cause: unknown) => {
    const text =
      "NATS responds, but JetStream doesn't. Enable JetStream for this account, or wait until the cluster has a leader.";
    throw new EngineError("unavailable", text, { cause });
  });
  const { error } = msg.json<{ error?: ApiError }>();
  if (!error) return;
  const text = `JetStream rejected the request (${error.description}). Enable JetStream for this account.`;
  throw new EngineError("unavailable", text);
}
