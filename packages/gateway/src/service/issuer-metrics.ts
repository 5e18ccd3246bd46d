import type { KeyState } from "../identity/issuer-keys.ts";
import type { MetricSink } from "../observability/metric-sink.ts";

const VALUES: Readonly<Record<KeyState["state"], number>> = {
  fresh: 1,
  stale: 0.5,
  loading: 0,
  missing: 0,
};

/** Adds the state of each issuer's keys. */
export function addIssuerMetrics(sink: MetricSink, states: () => readonly KeyState[]): void {
  sink.gauge(
    "vitrine_issuer_keys",
    "1 if an issuer's keys are loaded, 0.5 if the last good ones are used, 0 if its users can't log in.",
    () => states().map(({ issuer, state }) => [{ issuer }, VALUES[state]] as const),
  );
}
