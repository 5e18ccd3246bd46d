// One engine for several processes. Each process has its own connection, which can be cut and which records
// its operations.

import type { Change, Kv, SharedEngine, WatchOptions } from "../../gateway/src/engine/engine.ts";
import { EngineError } from "../../gateway/src/engine/engine-error.ts";

/** A process's connection to an engine. */
export interface CutEngine extends SharedEngine {
  /** Cuts the connection: requests time out, published messages are lost. */
  cut(): void;
  heal(): void;
  /** The requested operations, in order. */
  readonly operations: string[];
}

/** Milliseconds until a request to an unreachable engine fails. */
const LATE = 50;

export function cutEngine(engine: SharedEngine): CutEngine {
  let isCut = false;
  const operations: string[] = [];
  const returns = new Set<{ open(): void; close(): void }>();

  const through = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    operations.push(name);
    if (!isCut) return run();
    await new Promise((resolve) => setTimeout(resolve, LATE));
    throw new EngineError("unavailable", "The connection to the engine is cut.");
  };
  /** Subscriptions, which end with the connection and are opened again with it. */
  const lasting = (open: () => () => void): (() => void) => {
    let undo: (() => void) | undefined = isCut ? undefined : open();
    const entry = {
      open: () => {
        undo ??= open();
      },
      close: () => {
        undo?.();
        undo = undefined;
      },
    };
    returns.add(entry);
    return () => {
      entry.close();
      returns.delete(entry);
    };
  };
  const kvOf = (kv: Kv): Kv => ({
    create: (...args) => through("create", () => kv.create(...args)),
    update: (...args) => through("update", () => kv.update(...args)),
    put: (...args) => through("put", () => kv.put(...args)),
    get: (...args) => through("get", () => kv.get(...args)),
    delete: (...args) => through("delete", () => kv.delete(...args)),
    keys: (...args) => kv.keys(...args),
    watch: (fn: (change: Change) => void, options?: WatchOptions) => {
      operations.push("watch");
      return lasting(() => kv.watch(fn, options));
    },
  });

  return {
    caps: engine.caps,
    log: engine.log,
    blob: engine.blob,
    kv: (bucket, options) => kvOf(engine.kv(bucket, options)),
    bus: {
      request: (...args) => through("request", () => engine.bus.request(...args)),
      serve: (...args) => lasting(() => engine.bus.serve(...args)),
      publish: (...args) => {
        operations.push("publish");
        if (!isCut) engine.bus.publish(...args);
      },
      subscribe: (...args) => {
        operations.push("subscribe");
        return lasting(() => engine.bus.subscribe(...args));
      },
    },
    close: async () => {},
    operations,
    cut: () => {
      isCut = true;
      for (const each of returns) each.close();
    },
    heal: () => {
      isCut = false;
      for (const each of returns) each.open();
    },
  };
}
