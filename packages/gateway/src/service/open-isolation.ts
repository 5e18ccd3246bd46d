// Which runner starts the processes of a server. A runner is tried with a real process before the first server
// uses it, and the gateway doesn't start (or doesn't reload) if that fails: it never runs a server with less
// isolation than configured.

import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { isSharedGateway } from "../config/config.ts";
import { isolationOf, runnerOf, type ServerIsolation } from "../config/isolation.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Log } from "../observability/log.ts";
import {
  createBubblewrapRunner,
  createContainerRunner,
  createKubernetesRunner,
  type Isolation,
  type Runner,
} from "../upstreams/index.ts";
import { keyFolder } from "./keyring.ts";
import { nodeName } from "./open-parts.ts";
import { OperatorError } from "./operator-error.ts";

type RunnerName = Exclude<ServerIsolation["runner"], "none">;

/** How a server's processes are isolated. */
export interface ServerRunner {
  runner: Runner;
  isolation: Partial<Isolation>;
}

/** The runners of a gateway. */
export interface IsolationPart {
  /** Tries the runners of these servers. Throws an `OperatorError` if one doesn't work. */
  prepare(servers: GatewayConfig["servers"]): Promise<void>;
  /** Undefined for a server without isolation. */
  runnerFor(config: ServerConfig): ServerRunner | undefined;
  close(): Promise<void>;
}

/** Opens the runners as servers need them. */
export function openIsolation(
  { config, stamps }: Pick<LoadedConfig, "config" | "stamps">,
  { log }: { log: Log },
): IsolationPart {
  const runners = new Map<RunnerName, Runner>();
  // Other roles start no processes.
  const isRunner = config.cluster.roles.includes("runner");
  let hasWarned = false;

  const warnOnce = (servers: GatewayConfig["servers"]): void => {
    if (hasWarned || isSharedGateway(config)) return;
    const exposed = Object.entries(servers).filter(
      ([, server]) =>
        server.url === undefined &&
        server.user === undefined &&
        runnerOf(server, config) === "none" &&
        // An operator who wrote it doesn't need a warning.
        (server.isolation ?? config.isolation)?.runner === undefined,
    );
    if (exposed.length === 0) return;
    hasWarned = true;
    log.warn(
      { servers: exposed.map(([id]) => id) },
      "these servers run without isolation and can read your files and the gateway's keys; set isolation.runner to auto (docs/isolation.md)",
    );
  };

  const open = async (name: RunnerName, id: string): Promise<void> => {
    if (runners.has(name)) return;
    const runner = createRunner(name, { config, stamps });
    const obstacle = await runner.probe();
    if (obstacle !== undefined) {
      await runner.close();
      throw new OperatorError(
        "server",
        `servers.${id}: The runner ${name} doesn't work. ${obstacle} Servers are never started with less isolation than configured.`,
      );
    }
    runners.set(name, runner);
    log.info({ runner: name, ...(runner.gap && { gap: runner.gap }) }, "isolation works");
  };

  return {
    prepare: async (servers) => {
      if (!isRunner) return;
      warnOnce(servers);
      for (const [id, server] of Object.entries(servers)) {
        const name = server.url === undefined ? runnerOf(server, config) : "none";
        if (name !== "none") await open(name, id);
      }
    },
    runnerFor: (server) => {
      const { runner: name, limits } = isolationOf(server, config);
      if (name === "none" || !isRunner) return undefined;
      const runner = runners.get(name);
      if (!runner) throw new OperatorError("server", `The runner ${name} wasn't prepared.`);
      return { runner, isolation: limits };
    },
    close: async () => {
      await Promise.all([...runners.values()].map((runner) => runner.close()));
    },
  };
}

function createRunner(
  name: RunnerName,
  { config, stamps }: Pick<LoadedConfig, "config" | "stamps">,
): Runner {
  const { engine, namespace } = config.isolation ?? {};
  const owner = nodeName(config.engine.node);
  const hidden = [...stamps.keys(), ...foldersOf(config)];
  if (name === "container")
    return createContainerRunner({ owner, hidden, ...(engine && { engine }) });
  if (name === "kubernetes")
    return createKubernetesRunner({ owner, ...(namespace && { namespace }) });
  return createBubblewrapRunner({ hidden });
}

/** Files and folders with the gateway's keys and data. */
function foldersOf(config: GatewayConfig): string[] {
  const { engine, audit, policy } = config;
  const { credsFile } = engine.login ?? {};
  const paths = [
    ...[engine.folder, keyFolder(config), audit.archive?.folder, audit.anchor?.file],
    ...[policy?.folder, credsFile, ...Object.values(engine.tls ?? {})],
  ];
  return paths.filter((path) => path !== undefined);
}
