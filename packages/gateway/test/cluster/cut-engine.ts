// One engine as several processes see it: each has its own way to it, which can be cut, and counts what goes
// over it.

import type { Change, Engine, Kv, WatchOptions } from "../../src/engine/engine.ts";
import { EngineError } from "../../src/engine/errors.ts";

/** A process's way to an engine. */
export interface CutEngine extends Engine {
  /** Nothing goes through any more: what is asked fails late, what is told is lost. */
  cut(): void;
  heal(): void;
  /** What was asked for, in order. */
  readonly operations: string[];
}

/** How long a process waits for an engine it cannot reach. */
const LATE = 50;

export function cutEngine(engine: Engine): CutEngine {
  let isCut = false;
  const operations: string[] = [];
  const returns = new Set<{ open(): void; close(): void }>();

  const through = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    operations.push(name);
    if (!isCut) return run();
    await new Promise((resolve) => setTimeout(resolve, LATE));
    throw new EngineError("unavailable", "The way to the engine is cut.");
  };
  /** What lives longer than a question: gone with the way, back with it. */
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
    caps: { ...engine.caps, shared: true },
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
