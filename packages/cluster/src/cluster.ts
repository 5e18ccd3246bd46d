import type {
  Cluster as ClusterPort,
  JoinOptions,
  MetricSink,
  TenantLimits,
} from "@vitrine/gateway/cluster-port";
import type { SharedEngine } from "@vitrine/gateway/engine";
import type { OwnableUpstream } from "@vitrine/gateway/upstreams";
import { addClusterMetrics } from "./cluster-metrics.ts";
import { Membership, type MembershipOptions } from "./membership/membership.ts";
import { Counts } from "./routing/call-counts.ts";
import type { ClusterParts } from "./routing/cluster-parts.ts";
import { type ClusteredOptions, ClusteredUpstream } from "./routing/clustered-upstream.ts";
import { type EnvelopeOptions, Envelopes } from "./routing/envelope.ts";
import { PeerRpc } from "./routing/peer-rpc.ts";
import { TenantShares } from "./tenant-shares.ts";

/** How a process joins a cluster. */
export interface ClusterOptions extends JoinOptions, MembershipOptions, EnvelopeOptions {}

/** This process as a member of a cluster. */
export interface Cluster extends ClusterPort, ClusterParts {
  readonly membership: Membership;
  wrap(upstream: OwnableUpstream, options?: ClusteredOptions): ClusteredUpstream;
}

/** Joins the cluster of an engine. */
export async function joinCluster(engine: SharedEngine, options: ClusterOptions): Promise<Cluster> {
  const counts = new Counts();
  const membership = new Membership(engine, options);
  const rpc = new PeerRpc(engine, {
    membership,
    envelopes: new Envelopes(options),
    onRejected: (code, message) => {
      counts.rejected += 1;
      options.onRejected?.(code, message);
    },
  });
  await membership.join();
  const parts = { engine, membership, rpc, counts };
  return {
    ...parts,
    wrap: (upstream, wishes) => new ClusteredUpstream(upstream, parts, wishes),
    shareTenants: (limits: TenantLimits) => {
      const shares = new TenantShares(limits, parts);
      return () => shares.close();
    },
    addMetrics: (sink: MetricSink) => addClusterMetrics(sink, parts),
    close: async () => {
      rpc.close();
      await membership.close();
    },
  };
}
