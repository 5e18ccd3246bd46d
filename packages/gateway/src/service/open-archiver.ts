// Opens the archive of a configuration and logs its state.

import { ArchiveError, type Archiver, startArchiver } from "../audit/archive/index.ts";
import type { GatewayConfig } from "../config/config.ts";
import { type Engine, EngineError } from "../engine/index.ts";
import type { Log } from "../observability/log.ts";
import { nodeName } from "./open-parts.ts";
import { OperatorError } from "./operator-error.ts";

const HOUR = 60 * 60_000;

/** Opens the archive if it is configured and this process has the role. Rejects if the folder can't be used. */
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
        if (!error) log.info({ folder }, "audit records are being archived again");
        else {
          const code = (error as { code?: string }).code;
          // An engine outage is temporary and logged elsewhere. A full disk is neither.
          const level = error instanceof EngineError ? "warn" : "error";
          log[level]({ folder, code, reason: error.message }, "audit records can't be archived");
        }
      },
      onNotice: (text) => log.warn({ folder }, text),
    });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new OperatorError("archive", `audit.archive.folder: ${error.message}`);
  }
}
