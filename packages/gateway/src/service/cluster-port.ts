// What the gateway needs from `@vitrine/cluster`. The gateway never imports that package statically, so that
// a single process installs and loads none of it.

import type { Role } from "../config/config.ts";
import type { Engine, SharedEngine } from "../engine/index.ts";
import type { MetricSink } from "../observability/metric-sink.ts";
import type { TenantLimits } from "../policy/tenant-limits.ts";
import type { OwnableUpstream, Upstream } from "../upstreams/upstream.ts";

export type { Role } from "../config/config.ts";
export type { MetricLabels, MetricSink } from "../observability/metric-sink.ts";
export type { TenantLimits } from "../policy/tenant-limits.ts";

/** The exports of `@vitrine/cluster` that the gateway uses. */
export interface ClusterModule {
  openNatsEngine(options: NatsEngineOptions): Promise<SharedEngine>;
  /** Puts a spool on this machine's disk in front of the log's `partitions`. */
  openSpooledEngine(
    remote: Engine,
    options: { local: Engine; logId?: string; onError?(error: unknown): void },
    partitions: readonly string[],
  ): Promise<SpooledEngine>;
  joinCluster(engine: SharedEngine, options: JoinOptions): Promise<Cluster>;
}

/** How a process joins the cluster. */
export interface JoinOptions {
  /** The cluster's keys, each 32 bytes or more. The first is used, all are accepted. */
  keys: readonly ClusterKey[];
  roles?: readonly Role[];
  /** What the other processes learn about this one. */
  facts?: MemberFacts;
  /** Called with the other processes before this one joins. What it throws keeps this one out. */
  admit?: (others: readonly ClusterMember[]) => void;
  /** Called for each message that isn't from a process with the cluster's secret. */
  onRejected?: (code: string, message: string) => void;
}

/** A key of the cluster. */
export interface ClusterKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** What a process tells the others. Older programs tell nothing. */
export interface MemberFacts {
  /** Its name in the audit log (`engine.node`). */
  readonly name?: string;
  /** The version of its program. */
  readonly version?: string;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt?: number;
  /** The ids of its keys, by name. It uses the first of each list. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

/** Another process of the cluster. */
export interface ClusterMember {
  readonly node: string;
  readonly epoch: number;
  readonly roles: readonly Role[];
  /** The wire versions that it supports. */
  readonly wire: { readonly oldest: number; readonly newest: number };
  /** The newest wire version that both support. Undefined if there is none. */
  readonly version: number | undefined;
  /** Whether it joined before all others that are alive. Its wire versions are those of the cluster. */
  readonly isFirst: boolean;
  readonly facts: MemberFacts;
}

/** This process as a member of a cluster. */
export interface Cluster {
  readonly membership: {
    /** The wire versions that this process supports. */
    readonly wire: ClusterMember["wire"];
    /** All other processes that are alive. */
    others(): readonly ClusterMember[];
    /** Milliseconds since the engine last responded. */
    readonly silence: number;
    /** The other processes with a role. */
    members(role: Role): readonly unknown[];
    onJoin(fn: (epoch: number) => void): () => void;
    onFence(fn: () => Promise<void> | void): () => void;
    onRenew(fn: (time: number) => void): () => void;
  };
  /** Makes a server that has one process or session the same one for the whole cluster. */
  wrap(upstream: OwnableUpstream): ClusterUpstream;
  /** Divides the limits of tenants among the processes. Returns a function that stops it. */
  shareTenants(limits: TenantLimits): () => void;
  addMetrics(sink: MetricSink): void;
  /** Call it after closing everything that was wrapped. */
  close(): Promise<void>;
}

/** A server that one process of the cluster runs. */
export interface ClusterUpstream extends Upstream {
  /** Whether this process may start the server's process or session for a key. */
  mayStart(stateKey: string): boolean;
}

/** Audit records that are on this machine's disk and not yet in the shared engine. */
export interface SpoolDepth {
  readonly batches: number;
  readonly bytes: number;
}

/** An engine whose log has a spool in front. */
export interface SpooledEngine extends Engine {
  readonly depth: SpoolDepth;
}

/** How to open an engine on NATS. */
export interface NatsEngineOptions {
  /** `nats://host:port` or `tls://host:port`; one is enough, it announces the others. */
  servers: readonly string[];
  credentials?: NatsCredentials;
  tls?: NatsTls;
  /** Prefix of all names, one per deployment. Default "vitrine". */
  prefix?: string;
  /** Copies of stored data. Default 3 in a cluster, 1 on a single server. */
  replicas?: 1 | 3 | 5;
  /** Shown in NATS's list of connections. */
  name?: string;
  /** Maximum bytes of a log partition; beyond, `append` fails with `full`. */
  maxLogBytes?: number;
  /** Milliseconds for which `append` remembers an id. Default two minutes. */
  dedupeTime?: number;
  /** Called when a server is lost, found or rejects something. */
  onNotice?(notice: NatsNotice): void;
  /** Called with errors thrown by subscribers and watchers. */
  onError?(error: unknown): void;
}

/** How to authenticate with NATS; use one of the ways. Read again for each connection, so they can be rotated. */
export interface NatsCredentials {
  user?: string;
  password?: string;
  token?: string;
  /** A file written by `nsc`. */
  credsFile?: string;
}

/** TLS settings; an empty object uses the system's certificate authorities. */
export interface NatsTls {
  caFile?: string;
  certFile?: string;
  keyFile?: string;
}

/** A change of the connection to NATS. */
export interface NatsNotice {
  readonly kind: "disconnected" | "reconnected" | "rejected";
  readonly text: string;
}
