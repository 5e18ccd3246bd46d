import { measureSlowness } from "./lab/slowness.ts";

/** How long a run took, and what it was allowed. */
export interface RunTime {
  readonly seconds: number;
  readonly egressSeconds: number;
  /** How many times longer than on an idle machine work took, on average. */
  readonly slowness: number;
  /** Seconds on two idle cores; nothing for a run of single checks. */
  readonly bound?: number;
}

/** Seconds that a run may take on two idle cores. */
export const TIME_BOUNDS = { complete: 480, quick: 60 };

/** Measures a run in two parts; to be called where nothing else is under way. */
export function startClock() {
  const begun = performance.now();
  const samples = [measureSlowness()];
  let egressSeconds = 0;
  const elapsed = () => (performance.now() - begun) / 1000;
  return {
    endEgress(): void {
      egressSeconds = elapsed();
      samples.push(measureSlowness());
    },
    end(bound?: number): RunTime {
      const seconds = elapsed();
      samples.push(measureSlowness());
      const slowness = samples.reduce((sum, one) => sum + one, 0) / samples.length;
      return { seconds, egressSeconds, slowness, ...(bound !== undefined && { bound }) };
    },
  };
}

// Above this, other work on the machine decides how long a run takes.
const BUSY = 1.25;

/** The complaint about a run that was too slow. On a busy machine its time proves nothing. */
export function timeProblems({ seconds, slowness, bound }: RunTime): string[] {
  if (bound === undefined || slowness > BUSY || seconds <= bound * slowness) return [];
  return [`the run took ${seconds.toFixed(0)} s, more than ${bound} s on an idle machine`];
}

/** The last line of a run. */
export function timeLine({ seconds, egressSeconds, slowness, bound }: RunTime): string {
  const parts = [
    `time: ${seconds.toFixed(0)} s, ${egressSeconds.toFixed(0)} of them for egress`,
    ...(bound === undefined ? [] : [`bound ${bound} s on two idle cores`]),
    ...(slowness > 1.1 ? [`the machine was ${slowness.toFixed(1)} times as slow as idle`] : []),
    ...(bound !== undefined && slowness > BUSY ? ["too busy to judge the time"] : []),
  ];
  return parts.join("; ");
}
