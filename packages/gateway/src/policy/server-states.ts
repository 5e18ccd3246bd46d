// The servers that an operator paused. Stored in the engine and followed by every gateway, so that a pause
// takes effect everywhere and survives a restart.

import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine } from "../engine/engine.ts";
import { jsonBytes, watchBucket } from "../engine/watched-bucket.ts";
import { type Refusal, refuse } from "../errors/refusal.ts";
import type { PolicyCheck } from "./pipeline.ts";

/** Why and since when a server is paused. */
export interface Pause {
  server: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The operator. */
  by: string;
  /** Shown to users. */
  reason?: string;
}

/** The paused servers. */
export interface ServerStates {
  /** Refuses every request to a server until `resume`, also those of open Views. */
  pause(server: string, options: { by: string; reason?: string | undefined }): Promise<void>;
  resume(server: string): Promise<void>;
  /** Undefined if the server isn't paused. */
  paused(server: string): Pause | undefined;
  list(): Pause[];
  /** Resolves when the stored pauses are known. */
  readonly isReady: Promise<void>;
  close(): void;
}

const LONGEST_REASON = 200;

/** Opens the pauses in an engine. */
export function createServerStates(engine: Engine): ServerStates {
  const kv = engine.kv("server-pauses", { durable: true });
  const pauses = watchBucket<Pause>(kv);
  return {
    isReady: pauses.isReady,
    pause: async (server, { by, reason }) => {
      const text = reason?.trim().slice(0, LONGEST_REASON);
      const pause: Pause = { server, at: Date.now(), by, ...(text && { reason: text }) };
      const key = hashOf(server);
      await kv.put(key, jsonBytes(pause));
      await pauses.until(key, (value) => value !== undefined && value.at >= pause.at);
    },
    resume: async (server) => {
      const key = hashOf(server);
      await kv.delete(key);
      await pauses.until(key, (value) => value === undefined);
    },
    paused: (server) => pauses.get(hashOf(server)),
    list: () => [...pauses.values()],
    close: pauses.close,
  };
}

/** Refuses requests to paused servers. */
export function pauseCheck(states: ServerStates): PolicyCheck {
  const refusalOf = (server: string): Refusal | undefined => {
    const pause = states.paused(server);
    if (!pause) return undefined;
    const why = pause.reason === undefined ? "" : ` Reason: ${pause.reason}`;
    return refuse("paused", `An operator has paused this server. Try again later.${why}`, {
      data: { server },
    });
  };
  let isReady = false;
  void states.isReady.then(() => {
    isReady = true;
  });
  return {
    name: "pause",
    run: ({ server }) =>
      // After a restart, an unknown pause must not let a call through.
      isReady ? refusalOf(server.id) : states.isReady.then(() => refusalOf(server.id)),
  };
}
