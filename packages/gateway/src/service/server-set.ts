// Applies the servers of a configuration to a running gateway. Unchanged servers keep their connections,
// sessions and processes.

import type { GatewayConfig, ServerConfig } from "../config/config.ts";
import { hashOf } from "../crypto/stable-hash.ts";
import type { Gateway } from "../gateway.ts";
import type { OAuthServer } from "../identity/credentials/authority.ts";
import type { User } from "../identity/user-token.ts";
import type { ServerSettings } from "../policy/server-binding.ts";
import { type OpenedServer, openServer, type UpstreamParts } from "./open-server.ts";

/** The changes of a reload. */
export interface ServerChanges {
  added: string[];
  removed: string[];
  /** Servers whose connections were closed and reopened. */
  replaced: string[];
  /** Servers of which only the gateway's own settings changed. */
  adjusted: string[];
}

/** The current servers. */
export interface ServerSet {
  readonly opened: Readonly<
    Record<string, { upstream: OpenedServer["upstream"]; settings: ServerSettings }>
  >;
  /** The servers that users log in to. */
  oauth(id: string): OAuthServer | undefined;
  /** The current settings of a server. */
  config(id: string): ServerConfig | undefined;
  has(id: string): boolean;
  /** Ends the processes and sessions that belong to one user alone, as far as this gateway runs them. */
  endUser(user: User): Promise<void>;
  /** Applies the servers of a configuration: all of them, or none if one can't be opened. */
  apply(servers: GatewayConfig["servers"], gateway: Gateway): Promise<ServerChanges>;
}

interface Entry extends OpenedServer {
  settings: ServerSettings;
  config: ServerConfig;
  /** Hash of all settings that a connection depends on. */
  connection: string;
}

/** Opens the servers of a configuration. */
export function createServerSet(
  servers: GatewayConfig["servers"],
  parts: UpstreamParts,
): ServerSet {
  const open = (id: string, config: ServerConfig): Entry => ({
    ...openServer(id, config, parts),
    settings: settingsOf(config),
    config,
    connection: connectionOf(config),
  });
  const entries = new Map(Object.entries(servers).map(([id, config]) => [id, open(id, config)]));

  /** Opens all servers that are new or have a changed connection. If one fails, none is opened. */
  const openChanged = async (wanted: GatewayConfig["servers"]): Promise<Map<string, Entry>> => {
    const fresh = new Map<string, Entry>();
    try {
      for (const [id, config] of Object.entries(wanted)) {
        const isSame = entries.get(id)?.connection === connectionOf(config);
        if (!isSame) fresh.set(id, open(id, config));
      }
      return fresh;
    } catch (error) {
      await Promise.all([...fresh.values()].map(({ upstream }) => upstream.close()));
      throw error;
    }
  };

  return {
    get opened() {
      return Object.fromEntries(entries);
    },
    oauth: (id) => entries.get(id)?.oauth,
    config: (id) => entries.get(id)?.config,
    has: (id) => entries.has(id),
    endUser: async (user) => {
      await Promise.allSettled([...entries.values()].map((entry) => entry.endUser(user)));
    },
    apply: async (wanted, gateway) => {
      const fresh = await openChanged(wanted);
      const changes: ServerChanges = { added: [], removed: [], replaced: [], adjusted: [] };
      for (const id of [...entries.keys()]) {
        if (Object.hasOwn(wanted, id)) continue;
        changes.removed.push(id);
        entries.delete(id);
        gateway.setServer(id);
        parts.metrics.forget(id);
        parts.reports?.forget(id);
      }
      for (const [id, config] of Object.entries(wanted)) {
        const before = entries.get(id);
        const change = changeOf(before, fresh.get(id), config);
        if (!change) continue;
        changes[change.kind].push(id);
        entries.set(id, change.entry);
        gateway.setServer(id, change.entry);
      }
      return changes;
    },
  };
}

function changeOf(
  before: Entry | undefined,
  fresh: Entry | undefined,
  config: ServerConfig,
): { kind: "added" | "replaced" | "adjusted"; entry: Entry } | undefined {
  if (fresh) return { kind: before ? "replaced" : "added", entry: fresh };
  const settings = settingsOf(config);
  if (!before || hashOf(before.settings) === hashOf(settings)) return undefined;
  return { kind: "adjusted", entry: { ...before, settings, config } };
}

function settingsOf(config: ServerConfig): ServerSettings {
  const { consent, deadline, views, toolChanges, issuers, scopes, identity } = config;
  const passes = identity && {
    ...{ groups: identity.groups === true, token: identity.kind === "exchange" },
  };
  return {
    consent,
    deadline,
    views,
    toolChanges,
    ...(passes && { passes }),
    ...(issuers && { issuers }),
    ...(scopes && { scopes }),
  };
}

function connectionOf(config: ServerConfig): string {
  const settings = Object.keys(settingsOf(config));
  return hashOf(Object.fromEntries(Object.entries(config).filter(([k]) => !settings.includes(k))));
}
