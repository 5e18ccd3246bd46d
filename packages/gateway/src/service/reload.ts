import type { GatewayConfig } from "../config/config.ts";
import { stampOf } from "../config/config-file.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Log } from "../observability/log.ts";
import { withLiveSettings } from "./live-settings.ts";
import type { ServerChanges } from "./server-set.ts";

/** Reloads the configuration when its file changes or on request. */
export interface Reloader {
  reload(): Promise<void>;
  close(): void;
}

/** The options of `createReloader`. */
export interface ReloaderOptions {
  /** The running configuration. */
  loaded: LoadedConfig;
  environment: Readonly<Record<string, string | undefined>>;
  log: Log;
  /** Applies settings that don't need a restart. Rejects before anything was changed. */
  apply(config: GatewayConfig, secrets: readonly string[]): Promise<ServerChanges>;
  /** Milliseconds between two checks of the file. */
  interval?: number;
}

/** Watches a configuration file. An invalid file changes nothing and is logged. */
export function createReloader(options: ReloaderOptions): Reloader {
  const { loaded, environment, log, apply, interval = 1000 } = options;
  const { file } = loaded;
  let current = loaded.config;
  let files = [...loaded.stamps.keys()];
  let seen = [...loaded.stamps.values()].join(" ");
  let before = seen;
  let last = Promise.resolve();

  const run = async (): Promise<void> => {
    try {
      const { config, secrets, warnings, stamps } = await loadConfig(file, environment);
      files = [...stamps.keys()];
      seen = [...stamps.values()].join(" ");
      before = seen;
      const changes = await apply(config, secrets);
      for (const warning of warnings) log.warn(warning);
      const waiting = sectionsThatWait(current, config);
      if (waiting.length > 0) {
        log.warn({ settings: waiting }, "these settings take effect after a restart");
      }
      current = { ...withLiveSettings(current, config), servers: config.servers };
      // After both a signal and a file change, the second reload finds no changes.
      const isChange = Object.values(changes).some((ids) => ids.length > 0);
      log[isChange ? "info" : "debug"](changes, "configuration reloaded");
    } catch (error) {
      log.error({ reason: (error as Error).message }, "configuration not reloaded");
    }
  };
  const reload = (): Promise<void> => {
    // One at a time: the second change may correct the first.
    last = last.then(run);
    return last;
  };
  // Polls instead of using events, because an editor, a replaced symlink and a network drive then work alike.
  const poll = async (): Promise<void> => {
    const stamp = (await Promise.all(files.map(stampOf))).join(" ");
    // Reload only after two equal checks, because the file may be half written.
    const isQuiet = stamp === before;
    before = stamp;
    if (stamp === seen || !isQuiet) return;
    seen = stamp;
    await reload();
  };
  const timer = setInterval(() => void poll(), interval);
  timer.unref();
  return { reload, close: () => clearInterval(timer) };
}

function sectionsThatWait(running: GatewayConfig, after: GatewayConfig): string[] {
  const before = withLiveSettings(running, after);
  const names = Object.keys({ ...before, ...after }) as (keyof GatewayConfig)[];
  return names.filter(
    (name) => name !== "servers" && hashOf(before[name] ?? null) !== hashOf(after[name] ?? null),
  );
}
