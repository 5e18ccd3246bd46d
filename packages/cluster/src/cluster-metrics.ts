// No label names a user, a view or a tenant: their number has no bound.

import type { MetricLabels, MetricSink, Role } from "@vitrine/gateway/cluster-port";
import type { Membership } from "./membership/membership.ts";
import type { CallCounts, Counts } from "./routing/call-counts.ts";

const ROLES: readonly Role[] = ["edge", "runner", "archiver"];
const OUTCOMES: readonly (keyof CallCounts)[] = [
  "answered",
  "failed",
  "elsewhere",
  "lost",
  "cancelled",
];

/** Adds the metrics of a cluster. */
export function addClusterMetrics(
  sink: MetricSink,
  { membership, counts }: { membership: Membership; counts: Counts },
): void {
  addMembers(sink, membership);
  sink.counter(
    "vitrine_cluster_calls_total",
    "Calls to the process that owns a server's process or session (out), or from others (in).",
    () =>
      OUTCOMES.flatMap((outcome): [MetricLabels, number][] => [
        [{ direction: "out", outcome }, counts.sent[outcome]],
        [{ direction: "in", outcome }, counts.received[outcome]],
      ]),
  );
  sink.counter(
    "vitrine_cluster_envelopes_refused_total",
    "Messages between processes that failed authentication.",
    () => counts.rejected,
  );
  sink.counter(
    "vitrine_cluster_news_healed_total",
    "Times that change notifications were missed and all lists were reported as changed.",
    () => counts.changesAfterGap,
  );
}

function addMembers(sink: MetricSink, membership: Membership): void {
  let lost = 0;
  let held = 0;
  membership.onFence(() => {
    lost += 1;
  });
  membership.onJoin(() => {
    held += 1;
  });
  sink.gauge("vitrine_cluster_members", "Live processes by role, including this one.", () =>
    ROLES.map((role): [MetricLabels, number] => {
      const own = Number(membership.epoch !== undefined && membership.roles.includes(role));
      return [{ role }, membership.members(role).length + own];
    }),
  );
  sink.gauge(
    "vitrine_cluster_incompatible_members",
    "Other processes that share no wire version with this one.",
    () => membership.others().filter(({ version }) => version === undefined).length,
  );
  sink.gauge("vitrine_cluster_lease", "1 while this process may own something.", () =>
    Number(membership.epoch !== undefined),
  );
  sink.counter("vitrine_cluster_leases_total", "Leases that this process got and lost.", () => [
    [{ event: "held" }, held],
    [{ event: "lost" }, lost],
  ]);
}
