import { type BuildEnvironment, createBuilder, type InlineConfig, type ViteBuilder } from "vite";
import { noteBuild } from "./build-errors.ts";
import type { ViewReport } from "./finished-view.ts";
import { type VitrineViewsOptions, vitrineViews } from "./plugin.ts";
import { isOfView } from "./view-inputs.ts";

/** Views that were built, or are being rebuilt. */
export interface BuiltViews {
  reports: readonly ViewReport[];
  /** Stops watching; idempotent. */
  close(): Promise<void>;
}

/** Builds Views without a configuration file; with `config.build.watch`, until it is closed. */
export async function buildViews(
  options: VitrineViewsOptions,
  config: InlineConfig = {},
): Promise<BuiltViews> {
  const reports = new Map<string, ViewReport>();
  const onView = (report: ViewReport): void => {
    reports.set(report.name, report);
    options.onView?.(report);
  };
  const plugins = [config.plugins, vitrineViews({ ...options, onView })];
  const builder = await createBuilder({ configFile: false, ...config, plugins });
  const watchers: Closeable[] = [];
  for (const environment of viewsOf(builder)) {
    const built = await builder.build(environment);
    if ("close" in built) watchers.push(built);
  }
  return {
    get reports() {
      return [...reports.values()];
    },
    close: () => closeAll(watchers),
  };
}

/** Views that are rebuilt at each change. */
export interface WatchedViews {
  /** Stops watching; idempotent. */
  close(): Promise<void>;
}

// An editor may empty a file before it writes it.
const BUILD_DELAY = 10;

/**
 * Builds the views of a Vite configuration for development, at each change, until it is closed.
 * Resolves when each was built once; Vite prints errors, and the next change tries again.
 */
export async function watchViews(config: InlineConfig = {}): Promise<WatchedViews> {
  const build = { ...config.build, watch: { buildDelay: BUILD_DELAY, ...config.build?.watch } };
  const builder = await createBuilder({ mode: "development", logLevel: "error", ...config, build });
  const { root } = builder.config;
  const watchers: Closeable[] = [];
  const built: Promise<void>[] = [];
  for (const environment of viewsOf(builder)) {
    const watcher = await builder.build(environment);
    if (!("on" in watcher)) throw new Error("Vite built once and does not watch.");
    watchers.push(watcher);
    built.push(
      new Promise((resolve) => {
        watcher.on("event", (event) => {
          if (event.code === "ERROR") noteBuild(root, environment.name, event.error);
          if (event.code !== "BUNDLE_END") return;
          noteBuild(root, environment.name);
          resolve();
        });
      }),
    );
  }
  await Promise.all(built);
  return { close: () => closeAll(watchers) };
}

interface Closeable {
  close(): Promise<void>;
}

/** Each once, however often it is requested. */
async function closeAll(watchers: Closeable[]): Promise<void> {
  await Promise.all(watchers.splice(0).map((watcher) => watcher.close()));
}

function viewsOf({ environments }: ViteBuilder): BuildEnvironment[] {
  return Object.values(environments).filter(({ name }) => isOfView(name));
}
