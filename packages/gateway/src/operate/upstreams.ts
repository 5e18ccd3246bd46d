import type { Cluster } from "../cluster/cluster.ts";
import type { ServerConfig } from "../config/config.ts";
import { createOAuthServer, type OAuthServer } from "../identity/credentials/authority.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import {
  createAddressGuard,
  createHttpUpstream,
  createStdioUpstream,
  type Places,
  type Upstream,
  UpstreamError,
} from "../upstreams/index.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { ObservedUpstream } from "./observed-upstream.ts";
import { OperatorError } from "./operator-error.ts";
import { outageLog } from "./outage.ts";

/** What servers share. */
export interface UpstreamParts {
  /** Where several processes are one. */
  cluster?: Cluster | undefined;
  metrics: Metrics;
  log: Log;
  /** Nothing where no server has per-user log-ins. */
  credentials: Credentials | undefined;
  /** Processes that are started at once, by all servers together. */
  spawns: Places;
}

/** A server of the configuration, ready to be called. */
export interface OpenedServer {
  upstream: Upstream;
  oauth?: OAuthServer;
}

/** Makes the way to a server; nothing is connected or started yet. */
export function openServer(id: string, config: ServerConfig, parts: UpstreamParts): OpenedServer {
  const tellOutage = outageLog(id, parts.log);
  const observe = (upstream: Upstream): Upstream =>
    new ObservedUpstream(upstream, (failure) => {
      parts.metrics.upstream(id, failure?.code);
      tellOutage(failure);
    });
  try {
    if (config.url === undefined) return { upstream: observe(stdioUpstream(id, config, parts)) };
    const guard = createAddressGuard({ exempt: exemptions(config) });
    const { url, oauth } = config;
    const alone = createHttpUpstream({
      id,
      url,
      guard,
      era: config.era,
      transport: config.transport,
      sharing: config.sharing,
      places: { limit: config.atOnce },
      ...(config.headers && { headers: config.headers }),
    });
    const http = parts.cluster?.wrap(alone) ?? alone;
    if (!oauth || !parts.credentials) return { upstream: observe(http) };
    const server = createOAuthServer({ id, url, oauth, guard });
    return { upstream: observe(parts.credentials.wrap(http, server)), oauth: server };
  } catch (error) {
    if (!(error instanceof UpstreamError) && !(error instanceof TypeError)) throw error;
    throw new OperatorError("server", `servers.${id}: ${error.message}`);
  }
}

function stdioUpstream(
  id: string,
  config: ServerConfig,
  { spawns, cluster }: UpstreamParts,
): Upstream {
  const { command = [], cwd, env, passEnv } = config;
  const alone = createStdioUpstream({
    id,
    argv: command as [string, ...string[]],
    sharing: config.sharing,
    places: { limit: config.atOnce },
    spawns,
    ...(cwd !== undefined && { cwd }),
    ...(env && { env }),
    ...(passEnv && { passEnv }),
    mayStart: (key) => wrapped?.mayStart(key) ?? true,
  });
  const wrapped = cluster?.wrap(alone);
  return wrapped ?? alone;
}

/** Host and port that the operator answers for: the server's, and its authorization server's if it is named. */
function exemptions({ url = "", private: isPrivate, oauth }: ServerConfig): string[] {
  if (!isPrivate) return [];
  const addresses = [url, ...(oauth?.issuer === undefined ? [] : [oauth.issuer])];
  return addresses.map((address) => {
    const { hostname, port, protocol } = new URL(address);
    return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  });
}
