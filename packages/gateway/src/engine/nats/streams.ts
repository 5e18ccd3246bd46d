import { EngineError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { refusedError, STREAM_IN_USE, STREAM_NOT_FOUND } from "./nats-error.ts";

/** What we say of a stream; NATS fills in the rest. */
export interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly num_replicas: number;
  readonly max_age?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly [setting: string]: unknown;
}

/** What NATS says of a stream. */
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

/** A stream as it is; nothing where there is none. */
export async function findStream(
  connection: Connection,
  name: string,
): Promise<StreamInfo | undefined> {
  const what = `The stream ${name}`;
  const info = await connection.api<StreamInfo>(`STREAM.INFO.${name}`, undefined, what);
  if (info.error?.err_code === STREAM_NOT_FOUND) return undefined;
  if (info.error) throw refusedError(what, info.error);
  return info;
}

/**
 * Makes a stream where there is none. `amend` says what is to change in one that is there, and throws if that
 * one is none of ours; what was made for one server grows when there are more.
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
      if (made.error.err_code !== STREAM_IN_USE) throw refusedError(what, made.error);
      // Somebody else was faster, and its leader is not there yet.
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
  throw new EngineError("unavailable", `${what} is being made by others; ask again in a moment.`);
}
