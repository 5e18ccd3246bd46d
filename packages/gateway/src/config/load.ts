import { dirname, resolve } from "node:path";
import type { GatewayConfig } from "./config.ts";
import { readConfigFile, stampOf } from "./config-file.ts";
import { completeFrom } from "./environment.ts";
import { ConfigError } from "./problem.ts";
import { checkRules, sharedUsers } from "./rules.ts";
import { checkSecrets } from "./secret-rules.ts";
import { isConfig, validateConfig } from "./validation.ts";

/** A configuration that can be used. */
export interface LoadedConfig {
  file: string;
  config: GatewayConfig;
  /** Values that must never be printed. */
  secrets: readonly string[];
  warnings: readonly string[];
  /** Of the file, taken before it was read. */
  stamp: string;
}

/** Reads, completes and checks a configuration; throws a `ConfigError` that names all that is wrong. */
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
  // Rules read settings by their types, so they wait for the schema.
  if (isConfig(value, found)) {
    const config = withFolders(value, base);
    found.push(...checkRules(value), ...checkSecrets(config, { file, ...completed }));
    warnings.push(...sharedUsers(config));
  }
  if (!isConfig(value, found)) {
    const told = found.map(({ at, path, message }) => {
      const variable = overridden.get(path);
      const line = variable ? undefined : lineOf(at);
      return {
        path,
        message: variable ? `${message} (from ${variable})` : message,
        ...(line !== undefined && { line }),
      };
    });
    throw new ConfigError("invalid", file, told);
  }
  return { file, config: withFolders(value, base), secrets, warnings, stamp };
}

/** Folders are relative to the file, wherever the gateway is started. */
function withFolders(config: GatewayConfig, base: string): GatewayConfig {
  const { engine, keys, servers, audit } = config;
  const { folder, login, tls } = engine;
  const place = (path: string): string => resolve(base, path);
  const near = Object.entries(servers).map(([id, server]) => [
    id,
    server.cwd === undefined ? server : { ...server, cwd: resolve(base, server.cwd) },
  ]);
  return {
    ...config,
    keys: { ...(keys.folder !== undefined && { folder: place(keys.folder) }) },
    engine: {
      ...engine,
      ...(folder !== undefined && { folder: place(folder) }),
      ...(login?.credsFile !== undefined && {
        login: { ...login, credsFile: place(login.credsFile) },
      }),
      ...(tls && { tls: mapValues(tls, place) }),
    },
    audit: {
      ...audit,
      ...(audit.archive && { archive: { ...audit.archive, folder: place(audit.archive.folder) } }),
      ...(audit.anchor?.file !== undefined && {
        anchor: { ...audit.anchor, file: place(audit.anchor.file) },
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
