// Settings of `isolation`: those of a server, then those at the top, then defaults.

import type { GatewayConfig, ServerConfig } from "./config.ts";
import { isSharedGateway } from "./config.ts";
import type { IsolationConfig } from "./isolation-config.ts";

/** The isolation of one server. */
export interface ServerIsolation {
  runner: "bubblewrap" | "container" | "kubernetes" | "none";
  /** Sizes in bytes. Settings that are left out have the runner's defaults. */
  limits: Omit<IsolationConfig, "runner" | "memory" | "disk" | "engine" | "namespace"> & {
    memory?: number;
    disk?: number;
  };
}

type Part = Pick<GatewayConfig, "auth" | "isolation">;

/** The runner that is configured for a server. */
export function runnerOf(
  { user, isolation }: Pick<ServerConfig, "user" | "isolation">,
  config: Part,
): ServerIsolation["runner"] {
  // Where users share the gateway, a server is isolated by a runner or at least by its own user.
  const fallback = isSharedGateway(config) && user === undefined ? "auto" : "none";
  const runner = isolation?.runner ?? config.isolation?.runner ?? fallback;
  return runner === "auto" ? "bubblewrap" : runner;
}

/** The runner and limits of a server. */
export function isolationOf(server: ServerConfig, config: Part): ServerIsolation {
  const merged = { ...config.isolation, ...server.isolation };
  const { runner: _runner, engine: _engine, namespace: _namespace, memory, disk, ...rest } = merged;
  return {
    runner: runnerOf(server, config),
    limits: {
      ...rest,
      ...(memory !== undefined && { memory: bytesOf(memory) }),
      ...(disk !== undefined && { disk: bytesOf(disk) }),
    },
  };
}

/** Paths are relative to the configuration's file. */
export function withIsolationPaths(
  isolation: IsolationConfig,
  absolute: (path: string) => string,
): IsolationConfig {
  const { readOnly, writable } = isolation;
  return {
    ...isolation,
    ...(readOnly && { readOnly: readOnly.map(absolute) }),
    ...(writable && { writable: writable.map(absolute) }),
  };
}

function bytesOf(size: string): number {
  return Number.parseInt(size, 10) * 2 ** (size.endsWith("Gi") ? 30 : 20);
}
