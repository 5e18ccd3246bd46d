// Where an audit log is read from: the folder of an engine, whether the gateway runs or not, NATS, or an
// archive.

import { ArchiveError, type ArchiveReader, openArchiveReader } from "../audit/archive/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { LoadedConfig } from "../config/load.ts";
import { EngineError, type FileReader, openFileReader, openSealed } from "../engine/index.ts";
import { openEngine, sealStore, storeSealer } from "./foundations.ts";
import { openKeyring, readAuditKey, readStoreKey } from "./keyring.ts";
import { createLog } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import { createScrubber } from "./scrubber.ts";

/** A log to read, and the key of its hashes where it is known. */
export interface AuditSource extends FileReader {
  readonly key?: Uint8Array;
  /** Compares the files of an archive with its index. */
  readonly check?: ArchiveReader["check"];
  close(): Promise<void>;
}

/** The log of a folder. */
export async function openFolderSource(folder: string): Promise<AuditSource> {
  try {
    const reader = await openFileReader({ folder });
    const key = await readAuditKey(folder);
    const store = await readStoreKey(folder);
    const sealer = store && storeSealer(store);
    const kv: FileReader["kv"] = (bucket) =>
      sealer ? openSealed(reader.kv(bucket), bucket, sealer) : reader.kv(bucket);
    return { log: reader.log, kv, ...(key && { key }), close: async () => {} };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new OperatorError("audit", error.message);
  }
}

/** The log of a gateway. */
export async function openConfiguredSource({ config, file }: LoadedConfig): Promise<AuditSource> {
  const { driver, folder } = config.engine;
  if (driver === "file" && folder !== undefined) return openFolderSource(folder);
  if (driver === "memory") {
    const text = `${file} has the engine memory, whose audit log ends with the process; set engine.driver to file.`;
    throw new OperatorError("audit", text);
  }
  const log = createLog({ level: "silent", scrubber: () => createScrubber([]) });
  const keyring = await openKeyring(config);
  const engine = sealStore(await openEngine(config, log), keyring, log);
  const { audit: key } = keyring;
  return { log: engine.log, kv: (bucket) => engine.kv(bucket), key, close: () => engine.close() };
}

/** The log in an archive; with a key it can be verified. */
export async function openArchiveSource(
  folder: string,
  key: Uint8Array | undefined,
): Promise<AuditSource> {
  try {
    return {
      ...(await openArchiveReader(folder)),
      ...(key && { key }),
      close: async () => {},
    };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new OperatorError("archive", error.message);
  }
}

/** The key of the log's hashes; it is never in the archive, whose hashes it protects. */
export async function auditKeyOf(config: GatewayConfig): Promise<Uint8Array | undefined> {
  const { driver, folder } = config.engine;
  if (driver === "nats") return (await openKeyring(config)).audit;
  return folder === undefined ? undefined : readAuditKey(folder);
}
