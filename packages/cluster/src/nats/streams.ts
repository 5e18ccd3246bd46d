import { EngineError } from "@vitrine/gateway/engine";
import type { Connection } from "./connection.ts";
import { rejectedError, STREAM_IN_USE, STREAM_NOT_FOUND } from "./nats-error.ts";

/** The settings of a stream that the engine sets; NATS adds the defaults. */
export interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly num_replicas: number;
  readonly max_age?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly [setting: string]: unknown;
}

/** A stream as NATS describes it. */
export interface StreamInfo {
  readonly config: StreamConfig;
  readonly state: {
    readonly first_seq: number;
    readonly last_seq: number;
    readonly bytes: number;
  };
}

const PATIENCE = 10_000;
const PAUSE = 50;

/** Nanoseconds, as NATS counts. */
export const nanoseconds = (milliseconds: number): number => Math.round(milliseconds * 1e6);

/** An existing stream, or `undefined`. */
export async function findStream(
  connection: Connection,
  name: string,
): Promise<StreamInfo | undefined> {
  const what = `The stream ${name}`;
  const info = await connection.api<StreamInfo>(`STREAM.INFO.${name}`, undefined, what);
  if (info.error?.err_code === STREAM_NOT_FOUND) return undefined;
  if (info.error) throw rejectedError(what, info.error);
  return info;
}

/**
 * Creates a stream if it doesn't exist. For an existing stream, `amend` returns the settings to change, or
 * throws if its settings conflict. A stream gets more replicas when the cluster has grown.
 */
export async function ensureStream(
  connection: Connection,
  config: StreamConfig,
  amend: (has: StreamConfig) => Partial<StreamConfig> | undefined = () => undefined,
): Promise<void> {
  const { name, num_replicas } = config;
  const what = `The stream ${name}`;
  for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
    const found = await findStream(connection, name);
    if (!found) {
      const made = await connection.api<StreamInfo>(`STREAM.CREATE.${name}`, config, what);
      if (!made.error) return;
      if (made.error.err_code !== STREAM_IN_USE) throw rejectedError(what, made.error);
      // Another process creates it, and the stream has no leader yet.
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      continue;
    }
    const grown = found.config.num_replicas < num_replicas ? { num_replicas } : {};
    const change = { ...grown, ...amend(found.config) };
    if (Object.keys(change).length > 0) {
      const wanted = { ...found.config, ...change };
      await connection.apiOrFail(`STREAM.UPDATE.${name}`, wanted, what);
    }
    return;
  }
  throw new EngineError(
    "unavailable",
    `${what} is still being created by another process. Try again in a moment.`,
  );
}
