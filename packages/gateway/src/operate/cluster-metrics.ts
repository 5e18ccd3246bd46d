// What is counted where several processes share an engine, and where there is an archive. No label names a
// user, a View or a tenant: there may be any number of them.

import { Counter, Gauge, type Registry } from "prom-client";
import type { ArchiveState } from "../audit/archive/index.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { SpoolDepth } from "../cluster/spooled-engine.ts";
import type { CallTally } from "../cluster/tally.ts";
import type { TenantShares } from "../cluster/tenant-shares.ts";
import type { Role } from "../config/config.ts";

/** What is looked at. Each may be missing, and is then not counted. */
export interface ClusterSources {
  cluster: Cluster | undefined;
  link: EngineLink;
  /** Audit records on their way to the engine that all share. */
  spool: (() => SpoolDepth) | undefined;
  tenants: Pick<TenantShares, "use"> | undefined;
  archive: (() => ArchiveState) | undefined;
}

/** How the line to the engine did so far. */
export interface EngineLink {
  isConnected: boolean;
  reconnects: number;
  /** Envelopes of others that were not opened. */
  refused: number;
}

const ROLES: readonly Role[] = ["edge", "runner", "archiver"];
const ENDS: readonly (keyof CallTally)[] = ["answered", "failed", "elsewhere", "lost", "cancelled"];

/** Adds the figures to a registry; they are read at each scrape. */
export function watchCluster(registers: Registry[], sources: ClusterSources): void {
  const { cluster, link, spool, tenants, archive } = sources;
  const of = countersIn(registers);
  if (cluster) {
    watchMembers(of, cluster);
    watchCalls(of, cluster);
    of.gauge("vitrine_engine_connected", "1 while there is a line to the engine.", () =>
      Number(link.isConnected),
    );
    of.counter("vitrine_engine_reconnects_total", "Lines that were found again.", () => [
      [{}, link.reconnects],
    ]);
    of.counter(
      "vitrine_cluster_envelopes_refused_total",
      "Messages between processes that were not sealed as they should be.",
      () => [[{}, link.refused]],
    );
    of.counter(
      "vitrine_cluster_news_healed_total",
      "Times that news were missed, and everybody here was told that anything may have changed.",
      () => [[{}, cluster.tally.healedNews]],
    );
  }
  if (spool) watchSpool(of, spool);
  if (tenants) watchTenants(of, tenants);
  if (archive) watchArchive(of, archive);
}

type Counters = ReturnType<typeof countersIn>;
type Labels = Record<string, string>;

function watchMembers(of: Counters, { membership }: Cluster): void {
  new Gauge({
    name: "vitrine_cluster_members",
    help: "Processes that are known to be alive, this one included, by role.",
    labelNames: ["role"],
    registers: of.registers,
    collect() {
      for (const role of ROLES) {
        const own = Number(membership.epoch !== undefined && membership.roles.includes(role));
        this.set({ role }, membership.members(role).length + own);
      }
    },
  });
  let lost = 0;
  let held = 0;
  membership.onFence(() => {
    lost += 1;
  });
  membership.onJoin(() => {
    held += 1;
  });
  of.gauge("vitrine_cluster_lease", "1 while this process may own something.", () =>
    Number(membership.epoch !== undefined),
  );
  of.counter(
    "vitrine_cluster_leases_total",
    "Leases that this process was given, and lost.",
    () => [
      [{ event: "held" }, held],
      [{ event: "lost" }, lost],
    ],
  );
}

function watchCalls(of: Counters, { tally }: Cluster): void {
  of.counter(
    "vitrine_cluster_calls_total",
    "Calls that went to the process which owns what they need (out), or came from others (in).",
    () =>
      ENDS.flatMap((outcome): [Labels, number][] => [
        [{ direction: "out", outcome }, tally.sent[outcome]],
        [{ direction: "in", outcome }, tally.received[outcome]],
      ]),
  );
}

function watchSpool(of: Counters, spool: () => SpoolDepth): void {
  of.gauge(
    "vitrine_audit_spool_batches",
    "Batches of audit records that are on this disk and not yet in the engine.",
    () => spool().batches,
  );
  of.gauge("vitrine_audit_spool_bytes", "Their bytes.", () => spool().bytes);
}

function watchTenants(of: Counters, tenants: Pick<TenantShares, "use">): void {
  of.gauge("vitrine_tenants", "Tenants that asked for something.", () => tenants.use.tenants);
  of.gauge(
    "vitrine_tenant_share",
    "The part of its limit that a tenant may use here, the mean of those that asked.",
    () => tenants.use.share,
  );
  of.counter(
    "vitrine_tenant_refusals_total",
    "Calls that were refused because their tenant had used its limit.",
    () => [[{}, tenants.use.refused]],
  );
}

function watchArchive(of: Counters, archive: () => ArchiveState): void {
  of.gauge(
    "vitrine_archive_writing",
    "1 if this process writes the archive, 0 if another has the folder.",
    () => Number(archive().isWriting),
  );
  of.gauge("vitrine_archive_failing", "1 while records cannot be archived.", () =>
    Number(archive().problem !== undefined),
  );
  of.gauge(
    "vitrine_archive_lag_records",
    "Audit records that are stored and not archived.",
    () => archive().lag.records,
  );
  of.gauge(
    "vitrine_archive_lag_seconds",
    "How long the oldest of them has waited.",
    () => archive().lag.seconds,
  );
  of.counter("vitrine_archive_steps_total", "Steps of the chain that were archived.", () => [
    [{}, archive().steps],
  ]);
  of.counter("vitrine_archive_bytes_total", "Bytes of the archive that were written.", () => [
    [{}, archive().bytes],
  ]);
}

function countersIn(registers: Registry[]) {
  return {
    registers,
    gauge: (name: string, help: string, read: () => number): void => {
      new Gauge({
        ...{ name, help, registers },
        collect() {
          this.set(read());
        },
      });
    },
    /** A figure that is counted elsewhere, and only ever grows. */
    counter: (name: string, help: string, read: () => [Labels, number][]): void => {
      const labelNames = Object.keys(read()[0]?.[0] ?? {});
      new Counter({
        ...{ name, help, registers, labelNames },
        collect() {
          this.reset();
          for (const [labels, value] of read()) this.inc(labels, value);
        },
      });
    },
  };
}
