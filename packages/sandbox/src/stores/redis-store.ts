import { sandboxError } from "../errors.ts";
import type { ViewStore } from "../view-store.ts";

/** Sends one command to a Redis server and returns its reply; every client library has such a function. */
export type SendRedisCommand = (command: string[]) => Promise<unknown>;

/** Settings of a store on Redis. */
export interface RedisStoreOptions {
  /** In front of each key; `vitrine:` by default. */
  prefix?: string;
}

// One script, so that a counter can't lose its end: a process that stops between two commands would
// leave it without one, and an address would be blocked for good.
const ADD = `local sum = redis.call("INCRBY", KEYS[1], ARGV[1])
if redis.call("PTTL", KEYS[1]) < 0 then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
return sum`;

/**
 * A store for several processes, on a server with the Redis protocol (Redis 6.2 or later, Valkey). The
 * server must not evict keys: `maxmemory-policy noeviction`. Otherwise a used credential could be used
 * again.
 */
export function redisStore(
  send: SendRedisCommand,
  { prefix = "vitrine:" }: RedisStoreOptions = {},
): ViewStore {
  const run = async (...command: string[]): Promise<unknown> => {
    try {
      return await send(command);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // The server's memory is full: the same as a full store.
      throw /^OOM\b/.test(message) ? sandboxError("store-full", "Redis") : error;
    }
  };
  return {
    put: async (key, text, { ttl }) => {
      await run("SET", `${prefix}${key}`, text, "PX", wholeTime(ttl));
    },
    get: async (key) => textOf(await run("GET", `${prefix}${key}`)),
    take: async (key) => textOf(await run("GETDEL", `${prefix}${key}`)),
    add: async (key, amount, { ttl }) => {
      const sum = await run("EVAL", ADD, "1", `${prefix}${key}`, String(amount), wholeTime(ttl));
      const count = Number(sum);
      // Callers reject counts above a limit, so an unreadable one has to be above it.
      return Number.isFinite(count) && sum !== null ? count : Number.POSITIVE_INFINITY;
    },
    // The server belongs to other processes too.
    close: () => {},
  };
}

function textOf(reply: unknown): string | undefined {
  return reply === null || reply === undefined ? undefined : String(reply);
}

function wholeTime(ttl: number): string {
  return String(Math.max(1, Math.ceil(ttl)));
}
