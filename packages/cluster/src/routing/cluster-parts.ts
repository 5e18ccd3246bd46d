import type { Engine } from "@vitrine/gateway/engine";
import type { Membership } from "../membership/membership.ts";
import type { Counts } from "./call-counts.ts";
import type { PeerRpc } from "./peer-rpc.ts";

/** What all servers of a cluster share in one process. */
export interface ClusterParts {
  readonly engine: Engine;
  readonly membership: Membership;
  readonly rpc: PeerRpc;
  readonly counts: Counts;
}
