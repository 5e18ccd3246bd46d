import type { ServerConfig } from "../config/config.ts";
import { createOAuthServer, type OAuthServer } from "../identity/credentials/authority.ts";
import type { Credentials } from "../identity/credentials/credentials.ts";
import type { User } from "../identity/user-token.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import { observeUpstream } from "../observability/observed-upstream.ts";
import { outageLog } from "../observability/outage.ts";
import type { ServerReports } from "../observability/server-reports.ts";
import {
  type ChildUser,
  createAddressGuard,
  createHttpUpstream,
  createStdioUpstream,
  FairSlots,
  type OutboundProxy,
  type OwnableUpstream,
  type SlotLimits,
  type Upstream,
  UpstreamError,
} from "../upstreams/index.ts";
import { scopeKey } from "../upstreams/scope-key.ts";
import type { Cluster } from "./cluster-port.ts";
import { type Identities, NO_IDENTITY } from "./open-identity.ts";
import type { ServerRunner } from "./open-isolation.ts";
import { OperatorError } from "./operator-error.ts";

/** Parts that all servers share. */
export interface UpstreamParts {
  /** Set if this process belongs to a cluster. */
  cluster?: Cluster | undefined;
  /** Set if servers on the internet are reached through a proxy. */
  proxy?: OutboundProxy | undefined;
  metrics: Metrics;
  reports?: ServerReports | undefined;
  log: Log;
  /** Undefined if no server has per-user logins. */
  credentials: Credentials | undefined;
  /** How servers learn who a call is for. */
  identities?: Identities | undefined;
  /** Limits concurrent process starts over all servers. */
  spawns: FairSlots;
  /** Whether there is a single user, who needn't share a server's slots. */
  hasOneUser?: boolean;
  /** Finds the user that a server's process runs as. Undefined if this gateway starts no processes. */
  childUser?(id: string, config: ServerConfig): ChildUser | undefined;
  /** Finds the runner of a server. Undefined if its processes aren't isolated. */
  runnerFor?(config: ServerConfig): ServerRunner | undefined;
}

/** A configured server, ready to be called. */
export interface OpenedServer {
  upstream: Upstream;
  oauth?: OAuthServer;
  /** Ends the process or session that belongs to one user alone, if this gateway runs it. */
  endUser(user: User): Promise<void>;
}

/** Limits concurrent process starts over all servers. */
export function createSpawnSlots({ hasOneUser }: Pick<UpstreamParts, "hasOneUser">): FairSlots {
  const shares = hasOneUser ? { perTenant: 4, perUser: 4 } : { perUser: 2 };
  return new FairSlots({ limit: 4, queue: 1000, ...shares });
}

/** Creates the upstream of a server without connecting or starting anything. */
export function openServer(id: string, config: ServerConfig, parts: UpstreamParts): OpenedServer {
  const logOutage = outageLog(id, parts.log);
  const observe = (upstream: Upstream): Upstream =>
    observeUpstream(upstream, (failure) => {
      parts.metrics.upstream(id, failure?.code);
      parts.reports?.note(id, failure);
      logOutage(failure);
    });
  try {
    if (config.url === undefined) {
      const { upstream, ...rest } = stdioUpstream(id, config, parts);
      return { upstream: observe(upstream), ...rest };
    }
    const { proxy } = parts;
    const guard = createAddressGuard({ exempt: exemptions(config), proxy });
    const { url, oauth } = config;
    const identity = parts.identities?.open(id, url, config.identity) ?? NO_IDENTITY;
    const connected = createHttpUpstream({
      id,
      url,
      guard,
      era: config.era,
      transport: config.transport,
      sharing: config.sharing,
      slots: slotsOf(config, parts),
      ...(config.headers && { headers: config.headers }),
      ...identity.options,
    });
    const alone = identity.inside(connected);
    const http = identity.outside(parts.cluster?.wrap(alone) ?? alone);
    const endUser = userEnder(alone, config);
    if (!oauth || !parts.credentials) return { upstream: observe(http), endUser };
    const server = createOAuthServer({ id, url, oauth, guard });
    const own = parts.credentials.wrap(http, server, { sessions: alone });
    return { upstream: observe(own), oauth: server, endUser };
  } catch (error) {
    if (!(error instanceof UpstreamError) && !(error instanceof TypeError)) throw error;
    throw new OperatorError("server", `servers.${id}: ${error.message}`);
  }
}

/** A process or session that users share stays. */
function userEnder(
  upstream: Pick<OwnableUpstream, "end">,
  { sharing, oauth }: ServerConfig,
): OpenedServer["endUser"] {
  return async ({ tenant, user }) => {
    if (sharing === "user" || oauth) await upstream.end(scopeKey({ tenant, user }, "user"));
  };
}

function stdioUpstream(id: string, config: ServerConfig, parts: UpstreamParts): OpenedServer {
  const { command = [], cwd, env, passEnv, processes } = config;
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
    ...parts.runnerFor?.(config),
    ...processes,
    mayStart: (key) => wrapped?.mayStart(key) ?? true,
  });
  const wrapped = parts.cluster?.wrap(alone);
  return { upstream: wrapped ?? alone, endUser: userEnder(alone, config) };
}

function slotsOf(
  { atOnce, tenantAtOnce, userAtOnce }: ServerConfig,
  { hasOneUser }: UpstreamParts,
): Partial<SlotLimits> {
  const all = hasOneUser ? atOnce : undefined;
  return { limit: atOnce, perTenant: tenantAtOnce ?? all, perUser: userAtOnce ?? all };
}

/** `host:port` pairs that the operator trusts: the server's, and its authorization server's if configured. */
function exemptions({ url = "", private: isPrivate, oauth }: ServerConfig): string[] {
  if (!isPrivate) return [];
  const addresses = [url, ...(oauth?.issuer === undefined ? [] : [oauth.issuer])];
  return addresses.map((address) => {
    const { hostname, port, protocol } = new URL(address);
    return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  });
}
