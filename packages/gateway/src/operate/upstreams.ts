import type { Cluster } from "../cluster/cluster.ts";
import type { ServerConfig } from "../config/config.ts";
import { createOAuthServer, type OAuthServer } from "../identity/credentials/authority.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import {
  type ChildUser,
  createAddressGuard,
  createHttpUpstream,
  createStdioUpstream,
  FairSlots,
  type SlotLimits,
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
  spawns: FairSlots;
  /** A single user: there is nobody to share a server's slots with. */
  hasOneUser?: boolean;
  /** Finds who a server's process runs as; nothing where no process is ever started. */
  childUser?(id: string, config: ServerConfig): ChildUser | undefined;
}

/** A server of the configuration, ready to be called. */
export interface OpenedServer {
  upstream: Upstream;
  oauth?: OAuthServer;
}

/** Slots for processes that are started at once, by all servers together. */
export function createSpawnSlots({ hasOneUser }: Pick<UpstreamParts, "hasOneUser">): FairSlots {
  const shares = hasOneUser ? { perTenant: 4, perUser: 4 } : { perUser: 2 };
  return new FairSlots({ limit: 4, queue: 1000, ...shares });
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
      slots: slotsOf(config, parts),
      ...(config.headers && { headers: config.headers }),
    });
    const http = parts.cluster?.wrap(alone) ?? alone;
    if (!oauth || !parts.credentials) return { upstream: observe(http) };
    const server = createOAuthServer({ id, url, oauth, guard });
    const own = parts.credentials.wrap(http, server, { sessions: alone });
    return { upstream: observe(own), oauth: server };
  } catch (error) {
    if (!(error instanceof UpstreamError) && !(error instanceof TypeError)) throw error;
    throw new OperatorError("server", `servers.${id}: ${error.message}`);
  }
}

function stdioUpstream(id: string, config: ServerConfig, parts: UpstreamParts): Upstream {
  const { command = [], cwd, env, passEnv } = config;
  const user = parts.childUser?.(id, config);
  const alone = createStdioUpstream({
    id,
    argv: command as [string, ...string[]],
    sharing: config.sharing,
    slots: slotsOf(config, parts),
    spawns: parts.spawns,
    ...(cwd !== undefined && { cwd }),
    ...(user && { user }),
    ...(env && { env }),
    ...(passEnv && { passEnv }),
    mayStart: (key) => wrapped?.mayStart(key) ?? true,
  });
  const wrapped = parts.cluster?.wrap(alone);
  return wrapped ?? alone;
}

function slotsOf(
  { atOnce, tenantAtOnce, userAtOnce }: ServerConfig,
  { hasOneUser }: UpstreamParts,
): Partial<SlotLimits> {
  const all = hasOneUser ? atOnce : undefined;
  return { limit: atOnce, perTenant: tenantAtOnce ?? all, perUser: userAtOnce ?? all };
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
