export type {
  NatsCredentials,
  NatsEngineOptions,
  NatsNotice,
  NatsTls,
} from "@vitrine/gateway/cluster-port";
export { type Cluster, type ClusterOptions, joinCluster } from "./cluster.ts";
export { openNatsEngine } from "./nats/nats-engine.ts";
export { openSpooledEngine } from "./spool/spooled-engine.ts";
