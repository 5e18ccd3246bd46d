// Where an audit log is read from: the folder of an engine, whether the gateway runs or not, or NATS.

import type { LoadedConfig } from "../config/load.ts";
import { EngineError, type FileReader, openFileReader } from "../engine/index.ts";
import { openEngine } from "./foundations.ts";
import { openKeyring, readAuditKey } from "./keyring.ts";
import { createLog } from "./log.ts";
import { OperatorError } from "./operator-error.ts";
import { createScrubber } from "./scrubber.ts";

/** A log to read, and the key of its hashes where it is known. */
export interface AuditSource extends FileReader {
  readonly key?: Uint8Array;
  close(): Promise<void>;
}

/** The log of a folder. */
export async function openFolderSource(folder: string): Promise<AuditSource> {
  try {
    const reader = await openFileReader({ folder });
    const key = await readAuditKey(folder);
    return { ...reader, ...(key && { key }), close: async () => {} };
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
  const engine = await openEngine(config, log);
  const { audit: key } = await openKeyring(config);
  return { log: engine.log, kv: (bucket) => engine.kv(bucket), key, close: () => engine.close() };
}
