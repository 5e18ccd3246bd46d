// Stores for a sandbox with several processes.

export { type KvNamespace, type KvStoreOptions, kvStore } from "./kv-store.ts";
export { type RedisStoreOptions, redisStore, type SendRedisCommand } from "./redis-store.ts";
