// Whether memory is flat. A process is compared with itself: what it had in memory (RSS) once it was warm with
// what it has at the end of its life, as medians of the first and the last third of that time. A minute after it
// was ready it counts as warm: code is compiled, caches fill, the collector finds its size. Lives that after that
// are shorter than a quarter of the soak say nothing and are left out, and named. RSS also has what the collector
// has not given back yet, so that some growth is allowed: a fifth and 24 MiB.

import type { GatewayProcess } from "../faults/gateway-child.ts";
import { memoryOf } from "../faults/row.ts";

const mebi = 2 ** 20;
const EVERY = 1000;
const WARM_UP = 60_000;
const LONG_ENOUGH = 0.25;
/** What the later third may have more than the earlier. */
const SHARE = 0.2;
const SPARE = 24 * mebi;

interface Life {
  name: string;
  samples: { at: number; bytes: number }[];
}

/** What was found of one process. */
export interface MemoryFinding {
  name: string;
  /** Bytes, and nothing where a life was too short. */
  early: number | undefined;
  late: number | undefined;
  isFlat: boolean;
}

/** Looks at what processes have in memory, through all their lives. */
export class MemoryWatch {
  readonly #lives = new Map<number, Life>();
  readonly #timer: NodeJS.Timeout;
  readonly #time: number;

  /** `time` is how long the soak takes, in milliseconds. */
  constructor(gateways: readonly GatewayProcess[], time: number) {
    this.#time = time;
    this.#timer = setInterval(() => {
      for (const gateway of gateways) if (gateway.isReady()) this.#look(gateway);
    }, EVERY);
  }

  end(): MemoryFinding[] {
    clearInterval(this.#timer);
    return [...this.#lives.values()].map((life) => this.#find(life));
  }

  #look({ name, pid }: GatewayProcess): void {
    const life = this.#lives.get(pid) ?? { name: `${name} (${pid})`, samples: [] };
    this.#lives.set(pid, life);
    try {
      life.samples.push({ at: performance.now(), bytes: memoryOf(pid) });
    } catch {
      // It ended in this moment.
    }
  }

  #find({ name, samples }: Life): MemoryFinding {
    const warm = (samples[0]?.at ?? 0) + WARM_UP;
    const counted = samples.filter(({ at, bytes }) => at >= warm && bytes > 0);
    const [first, last] = [counted[0]?.at ?? 0, counted.at(-1)?.at ?? 0];
    if (last - first < LONG_ENOUGH * this.#time) {
      return { name, early: undefined, late: undefined, isFlat: true };
    }
    const third = (last - first) / 3;
    const early = median(counted.filter(({ at }) => at < first + third));
    const late = median(counted.filter(({ at }) => at > last - third));
    return { name, early, late, isFlat: late <= early * (1 + SHARE) + SPARE };
  }
}

function median(samples: readonly { bytes: number }[]): number {
  const sorted = samples.map(({ bytes }) => bytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
