// The archive of a configuration: who writes it, and what is said of it.

import { ArchiveError, type Archiver, startArchiver } from "../audit/archive/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import { type Engine, EngineError } from "../engine/index.ts";
import { nodeName } from "./foundations.ts";
import type { Log } from "./log.ts";
import { OperatorError } from "./operator-error.ts";

const HOUR = 60 * 60_000;

/** Writes the archive, where there is one and this process has the role; a folder that will not do stops it. */
export async function openArchiver(
  { audit: { archive }, cluster: { roles }, engine: { node } }: GatewayConfig,
  engine: Engine,
  log: Log,
): Promise<Archiver | undefined> {
  if (!archive || !roles.includes("archiver")) return undefined;
  const { folder, rotateBytes, rotateHours } = archive;
  try {
    return await startArchiver({
      ...{ engine, folder, rotateBytes, rotateTime: rotateHours * HOUR },
      node: nodeName(node),
      onProblem: (error) => {
        if (!error) log.info({ folder }, "audit records are archived again");
        else {
          const code = (error as { code?: string }).code;
          // An engine that is away passes, and is told of elsewhere; a disk that is full does not.
          const level = error instanceof EngineError ? "warn" : "error";
          log[level]({ folder, code, reason: error.message }, "audit records are not archived");
        }
      },
      onNotice: (text) => log.warn({ folder }, text),
    });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new OperatorError("archive", `audit.archive.folder: ${error.message}`);
  }
}
