// Where an audit log is read from: the folder of an engine, whether the gateway runs or not, NATS, or an
// archive.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { ArchiveError, type ArchiveReader, openArchiveReader } from "../audit/archive/index.ts";
import type { LoadedConfig } from "../config/load.ts";
import { EngineError, type FileReader, openFileReader, openSealed } from "../engine/index.ts";
import { openEngine, sealStore, storeSealer } from "./foundations.ts";
import { keyFolder, openKeyring, ownKeyFolder, readAuditKey, readStoreKeys } from "./keyring.ts";
import { createLog } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import { createScrubber } from "./scrubber.ts";

/** A log to read, and the key of its hashes where it is known. */
export interface AuditSource extends FileReader {
  readonly key?: Uint8Array;
  /** Compares the files of an archive with its index. */
  readonly check?: ArchiveReader["check"];
  /** Lines of the anchor, where there is one. */
  readonly anchor?: readonly string[];
  close(): Promise<void>;
}

/** The log of a folder; its keys are in it unless their folder is named. */
export async function openFolderSource(
  folder: string,
  keys: string = ownKeyFolder(folder),
): Promise<AuditSource> {
  try {
    const reader = await openFileReader({ folder });
    if (!existsSync(keys)) return { ...reader, close: async () => {} };
    const sealer = storeSealer(readStoreKeys(keys));
    const kv: FileReader["kv"] = (bucket) => openSealed(reader.kv(bucket), bucket, sealer);
    return { log: reader.log, kv, key: readAuditKey(keys), close: async () => {} };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new OperatorError("audit", error.message);
  }
}

/** The log of a gateway. */
export async function openConfiguredSource({ config, file }: LoadedConfig): Promise<AuditSource> {
  const { driver, folder } = config.engine;
  if (driver === "file" && folder !== undefined) {
    return openFolderSource(folder, keyFolder(config));
  }
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

/** The lines of an anchor that was kept elsewhere. */
export async function readAnchor(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    const reason = `The anchor ${file} can't be read (${error.code}); name the file that audit.anchor.file has, or a copy.`;
    throw new OperatorError("audit", reason);
  });
  return text.split("\n");
}
