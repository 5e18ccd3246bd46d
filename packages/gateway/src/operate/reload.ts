import type { GatewayConfig } from "../config/config.ts";
import { stampOf } from "../config/config-file.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { hashOf } from "../stable-hash.ts";
import type { Log } from "./log.ts";
import type { ServerChanges } from "./server-set.ts";

/** Reads the configuration again when its file changes or when told. */
export interface Reloader {
  reload(): Promise<void>;
  close(): void;
}

/** What reloading needs. */
export interface ReloaderOptions {
  /** What runs. */
  loaded: LoadedConfig;
  environment: Readonly<Record<string, string | undefined>>;
  log: Log;
  /** Changes what can be changed without a restart; rejects before anything was changed. */
  apply(config: GatewayConfig, secrets: readonly string[]): Promise<ServerChanges>;
  /** Milliseconds between two looks at the file. */
  interval?: number;
}

/** Watches a configuration file. A file that cannot be used changes nothing, and the log says why. */
export function createReloader(options: ReloaderOptions): Reloader {
  const { loaded, environment, log, apply, interval = 1000 } = options;
  const { file } = loaded;
  let current = loaded.config;
  let seen = loaded.stamp;
  let before = seen;
  let last = Promise.resolve();

  const run = async (): Promise<void> => {
    try {
      const { config, secrets, warnings } = await loadConfig(file, environment);
      const changes = await apply(config, secrets);
      for (const warning of warnings) log.warn(warning);
      const waiting = sectionsThatWait(current, config);
      if (waiting.length > 0) {
        log.warn({ settings: waiting }, "these settings take effect after a restart");
      }
      current = { ...current, servers: config.servers };
      // Told and seen to have changed: the second reading finds nothing.
      const isNews = Object.values(changes).some((ids) => ids.length > 0);
      log[isNews ? "info" : "debug"](changes, "configuration read");
    } catch (error) {
      log.error({ reason: (error as Error).message }, "configuration not changed");
    }
  };
  const reload = (): Promise<void> => {
    // One after the other: the second may be the answer to the first.
    last = last.then(run);
    return last;
  };
  // By looking, not by events: an editor, a link that is turned over and a network drive all look the same.
  const look = async (): Promise<void> => {
    const stamp = await stampOf(file);
    // Twice the same: it may have been half written.
    const isQuiet = stamp === before;
    before = stamp;
    if (stamp === seen || !isQuiet) return;
    seen = stamp;
    await reload();
  };
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return { reload, close: () => clearInterval(timer) };
}

function sectionsThatWait(before: GatewayConfig, after: GatewayConfig): string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof GatewayConfig)[];
  return names.filter(
    (name) => name !== "servers" && hashOf(before[name] ?? null) !== hashOf(after[name] ?? null),
  );
}
