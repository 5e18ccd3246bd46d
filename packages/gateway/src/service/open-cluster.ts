// Joins the cluster of a shared engine, and finds out why this gateway doesn't fit into it.

import type { GatewayConfig } from "../config/config.ts";
import type { Engine, SharedEngine } from "../engine/index.ts";
import type { Log } from "../observability/log.ts";
import { beatGuard } from "../upstreams/stdio/orphan-guard.ts";
import type { Cluster, ClusterMember, Role } from "./cluster-port.ts";
import { openKeyProofs } from "./key-proofs.ts";
import { type Keyring, keyIds } from "./keyring.ts";
import { loadCluster } from "./load-cluster.ts";
import { nodeName } from "./open-parts.ts";
import { PROGRAM_VERSION } from "./program-version.ts";

/** This gateway in its cluster. */
export interface JoinedCluster {
  readonly cluster: Cluster;
  /** Why this gateway must not get requests, although it runs. */
  obstacles(): readonly string[];
  close(): Promise<void>;
}

/** Joins the cluster, if the engine is shared. `unsealed` is that engine without sealed values. */
export async function openCluster(
  engine: Engine,
  about: { config: GatewayConfig; keyring: Keyring; log: Log; unsealed: Engine },
): Promise<JoinedCluster | undefined> {
  if (!isShared(engine)) return undefined;
  const { config, keyring, log, unsealed } = about;
  const { roles } = config.cluster;
  const { joinCluster } = await loadCluster();
  const proofs = await openKeyProofs(unsealed, keyring);
  try {
    const cluster = await joinCluster(engine, {
      roles,
      keys: keyring.cluster,
      facts: {
        name: nodeName(config.engine.node),
        version: PROGRAM_VERSION,
        startedAt: Date.now(),
        keys: keyIds(keyring),
      },
      admit: proofs.admit,
      onRejected: (code, reason) =>
        log.warn({ code, reason }, "rejected a message between processes"),
    });
    await proofs.claim().catch(async (error: unknown) => {
      await cluster.close();
      throw error;
    });
    watchMembership(cluster, { roles, log });
    return {
      cluster,
      obstacles: () => [...proofs.problems(), ...wireObstacles(cluster.membership)],
      close: async () => {
        proofs.close();
        await cluster.close();
      },
    };
  } catch (error) {
    proofs.close();
    throw error;
  }
}

function watchMembership(
  { membership }: Cluster,
  { roles, log }: { roles: readonly Role[]; log: Log },
): void {
  membership.onJoin((epoch) => log.info({ epoch, roles }, "joined the cluster"));
  membership.onFence(() =>
    log.warn("lost contact with the engine; ended the processes and sessions owned here"),
  );
  // The guard ends child processes even while this process is stopped.
  membership.onRenew(beatGuard);
}

/**
 * A gateway that shares no wire version with the one that joined first isn't ready. If the others weren't either, a
 * wrong upgrade of one gateway would stop all of them.
 */
function wireObstacles(membership: Cluster["membership"]): string[] {
  const text = ({ oldest, newest }: ClusterMember["wire"]): string =>
    oldest === newest ? `${newest}` : `${oldest} to ${newest}`;
  return membership
    .others()
    .filter(({ version, isFirst }) => version === undefined && isFirst)
    .map(
      ({ facts, node, wire: its }) =>
        `wire versions: ${facts.name ?? node} (${facts.version ?? "an older version"}) supports ${text(its)}, this gateway ${text(membership.wire)}`,
    );
}

function isShared(engine: Engine): engine is SharedEngine {
  return engine.caps.shared;
}
