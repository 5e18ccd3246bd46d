import type { MetricSink } from "../observability/metric-sink.ts";
import type { Cluster } from "./cluster-port.ts";
import { PROGRAM_VERSION } from "./program-version.ts";

/** Adds `vitrine_build_info`, whose labels tell which program runs. */
export function addBuildMetric(sink: MetricSink, cluster: Cluster | undefined): void {
  const wire = cluster?.membership.wire;
  const labels = {
    version: PROGRAM_VERSION,
    node: process.version,
    wire: wire ? `${wire.oldest}-${wire.newest}` : "none",
  };
  sink.gauge(
    "vitrine_build_info",
    "Always 1. Versions of the program, of Node, and of the messages between gateways.",
    () => [[labels, 1]],
  );
}
