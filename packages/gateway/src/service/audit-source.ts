// Opens an audit log for reading: from an engine's folder, whether the gateway runs or not, from NATS, or
// from an archive.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { ArchiveError, type ArchiveReader, openArchiveReader } from "../audit/archive/index.ts";
import type { ChainKey } from "../audit/index.ts";
import type { LoadedConfig } from "../config/load.ts";
import { EngineError, type EngineReader, openSealed, openSqliteReader } from "../engine/index.ts";
import { createLog } from "../observability/log.ts";
import { createScrubber } from "../observability/scrubber.ts";
import { keyFolder, openKeyring, ownKeyFolder, readAuditKeys, readStoreKeys } from "./keyring.ts";
import { openEngine, sealStore, storeSealer } from "./open-parts.ts";
import { OperatorError } from "./operator-error.ts";

/** A log to read, and the keys of its hashes if known. */
export interface AuditSource extends EngineReader {
  readonly keys?: readonly ChainKey[];
  /** Compares the files of an archive with its index. */
  readonly check?: ArchiveReader["check"];
  /** The lines of the anchor, if there is one. */
  readonly anchor?: readonly string[];
  close(): Promise<void>;
}

/** The log in a folder. Its keys are in it unless another folder is given. */
export async function openFolderSource(
  folder: string,
  keys: string = ownKeyFolder(folder),
): Promise<AuditSource> {
  return openDatabaseSource({ folder }, keys);
}

/** The log of a database; its keys are needed to verify it. */
export function openDatabaseSource(
  from: { folder: string } | { file: string },
  keys: string,
): AuditSource {
  try {
    const reader = openSqliteReader(from);
    const close = async (): Promise<void> => reader.close();
    if (!existsSync(keys)) return { ...reader, close };
    const sealer = storeSealer(readStoreKeys(keys));
    const kv: EngineReader["kv"] = (bucket) => openSealed(reader.kv(bucket), bucket, sealer);
    return { log: reader.log, kv, keys: readAuditKeys(keys), close };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new OperatorError("audit", error.message);
  }
}

/** The log of a gateway. */
export async function openConfiguredSource({ config, file }: LoadedConfig): Promise<AuditSource> {
  const { driver, folder } = config.engine;
  if (driver === "sqlite" && folder !== undefined) {
    return openFolderSource(folder, keyFolder(config));
  }
  if (driver === "memory") {
    const text = `${file} uses the engine memory, whose audit log ends with the process. Set engine.driver to sqlite.`;
    throw new OperatorError("audit", text);
  }
  const log = createLog({ level: "silent", scrubber: () => createScrubber([]) });
  const keyring = await openKeyring(config);
  const engine = sealStore(await openEngine(config, log), keyring, log);
  const { audit: keys } = keyring;
  return { log: engine.log, kv: (bucket) => engine.kv(bucket), keys, close: () => engine.close() };
}

/** The log in an archive. With keys it can be verified. */
export async function openArchiveSource(
  folder: string,
  keys: readonly ChainKey[] | undefined,
): Promise<AuditSource> {
  try {
    return {
      ...(await openArchiveReader(folder)),
      ...(keys && { keys }),
      close: async () => {},
    };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new OperatorError("archive", error.message);
  }
}

/** The lines of an anchor that was stored elsewhere. */
export async function readAnchor(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    const reason = `The anchor ${file} can't be read (${error.code}). Pass the file in audit.anchor.file, or a copy of it.`;
    throw new OperatorError("audit", reason);
  });
  return text.split("\n");
}
