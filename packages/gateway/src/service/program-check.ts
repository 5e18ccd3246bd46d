// Checks of programs that depend on the machine, so they are warnings: a configuration may be checked on another
// machine than the one that it is for.

import type { GatewayConfig } from "../config/config.ts";
import { runnerOf } from "../config/isolation.ts";
import type { LoadedConfig } from "../config/load.ts";
import { createLog } from "../observability/log.ts";
import { createScrubber } from "../observability/scrubber.ts";
import { findMissingPart } from "../upstreams/index.ts";
import { openIsolation } from "./open-isolation.ts";
import { OperatorError } from "./operator-error.ts";

/** Programs and folders that don't exist here, and runners that don't work here. */
export async function programWarnings(
  loaded: Pick<LoadedConfig, "config" | "stamps">,
): Promise<string[]> {
  const { config } = loaded;
  if (!config.cluster.roles.includes("runner")) return [];
  return [...missingParts(config), ...(await runnerProblems(loaded))];
}

function missingParts(config: GatewayConfig): string[] {
  return Object.entries(config.servers).flatMap(([id, server]) => {
    const { command: argv, cwd, env } = server;
    // The program of a container or pod is in its image.
    if (!argv || !["none", "bubblewrap"].includes(runnerOf(server, config))) return [];
    const missing = findMissingPart({ argv, cwd, env: { PATH: process.env.PATH, ...env } });
    return missing === undefined ? [] : [`servers.${id}: ${missing}`];
  });
}

async function runnerProblems(loaded: Pick<LoadedConfig, "config" | "stamps">): Promise<string[]> {
  const log = createLog({ level: "silent", scrubber: () => createScrubber([]) });
  const isolation = openIsolation(loaded, { log });
  try {
    await isolation.prepare(loaded.config.servers);
    return [];
  } catch (error) {
    if (error instanceof OperatorError) return [error.message];
    throw error;
  } finally {
    await isolation.close();
  }
}
