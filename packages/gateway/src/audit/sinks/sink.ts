// A place outside that receives audit records: a syslog server, a collector, a SIEM, an object store.

import type { ReadRecord } from "../reading.ts";

/** A step of the chain, as stored and as records. */
export interface SinkStep {
  readonly place: number;
  /** The lines with their hashes, for a sink that stores evidence. */
  readonly bytes: Uint8Array;
  readonly records: readonly ReadRecord[];
}

/** How much a sink takes at once. */
export interface SinkBatching {
  readonly bytes: number;
  /** Milliseconds to wait for a batch to become large. */
  readonly wait: number;
}

/** Sends records to one place. */
export interface AuditSink {
  readonly batching: SinkBatching;
  /**
   * Resolves when the other side has the whole batch, as far as its protocol can tell. After a failure the same
   * steps come again, perhaps with others behind them.
   */
  send(batch: readonly SinkStep[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Why a sink couldn't send. The message never contains a credential. */
export class SinkError extends Error {
  override readonly name: string = "SinkError";
}
