// No label names a user, a view or a tenant: their number has no bound.

import type { ArchiveState } from "../audit/archive/index.ts";
import type { TenantLimits } from "../policy/tenant-limits.ts";
import type { MetricSink } from "./metric-sink.ts";

/** The parts to measure; a missing part has no metrics. */
export interface StorageSources {
  /** The connection to a shared engine. */
  link: { readonly isConnected: boolean; readonly reconnects: number } | undefined;
  /** Audit records on this disk that the shared engine doesn't have yet. */
  spool: (() => { readonly batches: number; readonly bytes: number }) | undefined;
  tenants: Pick<TenantLimits, "use"> | undefined;
  archive: (() => ArchiveState) | undefined;
}

/** Adds the metrics of the engine connection, the spool, the tenant limits and the archive. */
export function addStorageMetrics(sink: MetricSink, sources: StorageSources): void {
  const { link, spool, tenants, archive } = sources;
  if (link) addLink(sink, link);
  if (spool) addSpool(sink, spool);
  if (tenants) addTenants(sink, tenants);
  if (archive) addArchive(sink, archive);
}

function addLink(sink: MetricSink, link: NonNullable<StorageSources["link"]>): void {
  sink.gauge("vitrine_engine_connected", "1 while the engine is connected.", () =>
    Number(link.isConnected),
  );
  sink.counter(
    "vitrine_engine_reconnects_total",
    "Reconnects to the engine.",
    () => link.reconnects,
  );
}

function addSpool(sink: MetricSink, spool: NonNullable<StorageSources["spool"]>): void {
  sink.gauge(
    "vitrine_audit_spool_batches",
    "Batches of audit records that are on this disk and not yet in the engine.",
    () => spool().batches,
  );
  sink.gauge("vitrine_audit_spool_bytes", "Bytes of these batches.", () => spool().bytes);
}

function addTenants(sink: MetricSink, tenants: Pick<TenantLimits, "use">): void {
  sink.gauge("vitrine_tenants", "Active tenants.", () => tenants.use.tenants);
  sink.gauge(
    "vitrine_tenant_share",
    "The share of its limit that a tenant may use in this process, mean of the active tenants.",
    () => tenants.use.share,
  );
  sink.counter(
    "vitrine_tenant_refusals_total",
    "Calls rejected because their tenant had used its limit.",
    () => tenants.use.rejected,
  );
}

function addArchive(sink: MetricSink, archive: () => ArchiveState): void {
  sink.gauge(
    "vitrine_archive_writing",
    "1 if this process writes the archive, 0 if another process does.",
    () => Number(archive().isWriting),
  );
  sink.gauge("vitrine_archive_failing", "1 while records can't be archived.", () =>
    Number(archive().problem !== undefined),
  );
  sink.gauge(
    "vitrine_archive_lag_records",
    "Audit records that are stored and not archived.",
    () => archive().lag.records,
  );
  sink.gauge(
    "vitrine_archive_lag_seconds",
    "How long the oldest of these records has waited.",
    () => archive().lag.seconds,
  );
  sink.counter(
    "vitrine_archive_steps_total",
    "Steps of the chain that were archived.",
    () => archive().steps,
  );
  sink.counter(
    "vitrine_archive_bytes_total",
    "Bytes written to the archive.",
    () => archive().bytes,
  );
}
