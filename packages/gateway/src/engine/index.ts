export { createSealer, type Sealer, type SealingKey } from "../crypto/sealing.ts";
export type {
  Appended,
  BlobStore,
  BucketOptions,
  Bus,
  Caps,
  Change,
  Engine,
  EngineErrorCode,
  Entry,
  Kv,
  Log,
  LogRecord,
  SharedEngine,
  WatchOptions,
} from "./engine.ts";
export { checkSize, closedError, EngineError } from "./engine-error.ts";
// For drivers in other packages.
export { checkBatch } from "./local/batch.ts";
export { createMemoryEngine, type MemoryEngineOptions } from "./memory/memory-engine.ts";
export {
  checkBucket,
  checkKey,
  checkPartition,
  checkPattern,
  checkSha256,
} from "./names.ts";
export {
  openSealed,
  type Resealing,
  type SealedEngineOptions,
  sealEngine,
} from "./sealed-engine.ts";
export { backUpDatabase, checkDatabase, restoreDatabase } from "./sqlite/database-copy.ts";
export {
  type EngineNotice,
  openSqliteEngine,
  type SqliteEngineOptions,
} from "./sqlite/sqlite-engine.ts";
export { type EngineReader, openSqliteReader, type SqliteReader } from "./sqlite/sqlite-reader.ts";
