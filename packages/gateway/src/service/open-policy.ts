// The access policies of a configuration. A change of the folder takes effect without a restart; if the new
// policies have a problem, the old ones stay in force.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { GatewayConfig } from "../config/config.ts";
import type { Log } from "../observability/log.ts";
import { type Access, OPEN_ACCESS } from "../policy/authorization/access.ts";
import { type Authorizer, createAuthorizer } from "../policy/authorization/authorizer.ts";
import { type Cedar, CedarMissingError, loadCedar } from "../policy/authorization/cedar.ts";
import { PolicyError, readPolicies } from "../policy/authorization/policy-files.ts";
import { OperatorError } from "./operator-error.ts";

/** The policies of a running gateway. */
export interface OpenedPolicy {
  readonly access: Access;
  close(): void;
}

/** Opens the policies, and watches their folder. */
export async function openPolicy(
  { policy }: Pick<GatewayConfig, "policy">,
  { log, interval = 1000 }: { log: Log; interval?: number | undefined },
): Promise<OpenedPolicy> {
  if (!policy) return { access: OPEN_ACCESS, close: () => {} };
  const { folder, mode } = policy;
  let seen = await stampOf(folder);
  const cedar = await loadEngine();
  let authorizer = await openAuthorizer(cedar, folder);
  const access: Access = {
    mode,
    get authorizer() {
      return authorizer;
    },
  };
  let before = seen;
  const reload = async (): Promise<void> => {
    const stamp = await stampOf(folder);
    // Only after two equal checks: the start of a half-written file may be valid without its last policies.
    const isQuiet = stamp === before;
    before = stamp;
    if (stamp === seen || !isQuiet) return;
    seen = stamp;
    try {
      const replaced = authorizer;
      authorizer = await openAuthorizer(cedar, folder);
      replaced.close();
      log.info({ folder }, "policies reloaded");
    } catch (error) {
      log.error({ reason: (error as Error).message }, "policies not reloaded");
    }
  };
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(reload);
  }, interval);
  timer.unref();
  return { access, close: () => clearInterval(timer) };
}

/** Loads the engine, or explains what to install. */
export async function loadEngine(): Promise<Cedar> {
  return loadCedar().catch((error: unknown) => {
    throw error instanceof CedarMissingError ? new OperatorError("policy", error.message) : error;
  });
}

async function openAuthorizer(cedar: Cedar, folder: string): Promise<Authorizer> {
  try {
    return createAuthorizer(cedar, await readPolicies(cedar, folder));
  } catch (error) {
    throw error instanceof PolicyError ? new OperatorError("policy", error.message) : error;
  }
}

/** Changes with the names, sizes and times of the files. */
async function stampOf(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".cedar")).sort();
  const stamps = files.map(async (name) => {
    const found = await stat(join(folder, name)).catch(() => undefined);
    return `${name} ${found?.size} ${found?.mtimeMs}`;
  });
  return (await Promise.all(stamps)).join("\n");
}
