export { createSealer, type Sealer, type SealingKey } from "../sealing.ts";
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
  WatchOptions,
} from "./engine.ts";
export { EngineError } from "./errors.ts";
export { type FileEngineOptions, openFileEngine } from "./file/file-engine.ts";
export { type FileReader, openFileReader } from "./file/file-reader.ts";
export type { Notice } from "./file/frame-file.ts";
export { createMemoryEngine, type MemoryEngineOptions } from "./memory/memory-engine.ts";
export { openSealed, type SealedEngineOptions, sealEngine } from "./sealed-engine.ts";
