// Several gateway processes that behave as one.

import type { Engine } from "../engine/engine.ts";
import type { OwnableUpstream } from "../upstreams/upstream.ts";
import { type ClusteredOptions, ClusteredUpstream } from "./clustered-upstream.ts";
import { Courier, type CourierOptions } from "./courier.ts";
import { type EnvelopeOptions, Envelopes } from "./envelope.ts";
import { Membership, type MembershipOptions } from "./membership.ts";
import { Tally } from "./tally.ts";

/** What the parts of a cluster share. */
export interface ClusterParts {
  readonly engine: Engine;
  readonly membership: Membership;
  readonly courier: Courier;
  readonly tally: Tally;
}

/** How a process takes part in a cluster. */
export interface ClusterOptions extends MembershipOptions, EnvelopeOptions {
  onRefused?: CourierOptions["onRefused"];
}

/** This process's place in a cluster. */
export interface Cluster extends ClusterParts {
  /** Makes a server one in the whole cluster. */
  wrap(upstream: OwnableUpstream, options?: ClusteredOptions): ClusteredUpstream;
  /** After everything that was wrapped. */
  close(): Promise<void>;
}

/** Joins the cluster of an engine. */
export async function joinCluster(engine: Engine, options: ClusterOptions): Promise<Cluster> {
  const membership = new Membership(engine, options);
  const envelopes = new Envelopes(options);
  const courier = new Courier(engine, { membership, envelopes, onRefused: options.onRefused });
  await membership.join();
  const parts = { engine, membership, courier, tally: new Tally() };
  return {
    ...parts,
    wrap: (upstream, wishes) => new ClusteredUpstream(upstream, parts, wishes),
    close: async () => {
      courier.close();
      await membership.close();
    },
  };
}
