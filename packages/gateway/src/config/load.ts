import { dirname, resolve } from "node:path";
import type { GatewayConfig } from "./config.ts";
import { readConfigFile, stampOf } from "./config-file.ts";
import { completeFrom } from "./environment-values.ts";
import { withIsolationPaths } from "./isolation.ts";
import { ConfigError } from "./problem.ts";
import { checkRules, sharedUsers } from "./rules.ts";
import { checkSecrets } from "./secret-rules.ts";
import { isConfig, validateConfig } from "./validation.ts";

/** A valid configuration. */
export interface LoadedConfig {
  file: string;
  config: GatewayConfig;
  /** Values that must never be printed. */
  secrets: readonly string[];
  warnings: readonly string[];
  /**
   * The files that were read, with their stamps before that: the configuration and its secrets. A change of
   * any of them is a change of the configuration.
   */
  stamps: ReadonlyMap<string, string>;
}

/** Reads, completes and checks a configuration. Throws a `ConfigError` that lists every problem. */
export async function loadConfig(
  file: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<LoadedConfig> {
  const stamp = await stampOf(file);
  const { value: given, lineOf } = await readConfigFile(file);
  const base = dirname(resolve(file));
  const completed = completeFrom(environment, given ?? {}, { base });
  const { value, problems, secrets, overridden, warnings } = completed;
  const found = [...problems, ...validateConfig(value)];
  const isForgetful = chooseDriver(value);
  // The rules rely on the types, so the schema is checked first.
  if (isConfig(value, found)) {
    const config = withFolders(value, base);
    found.push(...checkRules(value), ...checkSecrets(config, { file, ...completed }));
    warnings.push(...sharedUsers(config));
    if (isForgetful) {
      warnings.push(
        "engine: no driver is set, so grants and the audit log are kept in memory and end with the process. Set engine.folder to keep them.",
      );
    }
  }
  if (!isConfig(value, found)) {
    const located = found.map(({ at, path, message }) => {
      const variable = overridden.get(path);
      const line = variable ? undefined : lineOf(at);
      return {
        path,
        message: variable ? `${message} (from ${variable})` : message,
        ...(line !== undefined && { line }),
      };
    });
    throw new ConfigError("invalid", file, located);
  }
  const stamps = new Map([[file, stamp], ...completed.secretFiles]);
  return { file, config: withFolders(value, base), secrets, warnings, stamps };
}

/** Completes the driver of the engine; returns whether nobody chose that everything is forgotten. */
function chooseDriver(value: unknown): boolean {
  const { engine } = (value ?? {}) as { engine?: Partial<GatewayConfig["engine"]> };
  if (typeof engine !== "object" || engine === null || engine.driver !== undefined) return false;
  engine.driver = engine.folder === undefined ? "memory" : "sqlite";
  return engine.driver === "memory";
}

/** Paths are relative to the file, wherever the gateway is started. */
function withFolders(config: GatewayConfig, base: string): GatewayConfig {
  const { engine, keys, servers, audit, policy, isolation } = config;
  const { folder, login, tls } = engine;
  const absolute = (path: string): string => resolve(base, path);
  const near = Object.entries(servers).map(([id, server]) => [
    id,
    {
      ...server,
      ...(server.cwd !== undefined && { cwd: absolute(server.cwd) }),
      ...(server.isolation && { isolation: withIsolationPaths(server.isolation, absolute) }),
    },
  ]);
  return {
    ...config,
    ...(isolation && { isolation: withIsolationPaths(isolation, absolute) }),
    ...(policy && { policy: { ...policy, folder: absolute(policy.folder) } }),
    keys: { ...(keys.folder !== undefined && { folder: absolute(keys.folder) }) },
    engine: {
      ...engine,
      ...(folder !== undefined && { folder: absolute(folder) }),
      ...(login?.credsFile !== undefined && {
        login: { ...login, credsFile: absolute(login.credsFile) },
      }),
      ...(tls && { tls: mapValues(tls, absolute) }),
    },
    audit: {
      ...audit,
      ...(audit.archive && {
        archive: { ...audit.archive, folder: absolute(audit.archive.folder) },
      }),
      sinks: audit.sinks.map((sink) =>
        sink.caFile === undefined ? sink : { ...sink, caFile: absolute(sink.caFile) },
      ),
      ...(audit.anchor?.file !== undefined && {
        anchor: { ...audit.anchor, file: absolute(audit.anchor.file) },
      }),
    },
    servers: Object.fromEntries(near),
  };
}

function mapValues<Name extends string>(
  of: Partial<Record<Name, string>>,
  change: (value: string) => string,
): Partial<Record<Name, string>> {
  const entries = Object.entries<string>(of as Record<string, string>);
  const changed = entries.map(([name, value]) => [name, change(value)]);
  return Object.fromEntries(changed) as Partial<Record<Name, string>>;
}
