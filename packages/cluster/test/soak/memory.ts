// Whether memory is flat. A process is compared with itself: the memory in use once it was warm, and at the end of
// its life, as medians of the first and the last third of that time. "In use" is the heap, and the external memory
// that it refers to, after a garbage collection, which is requested through the inspector. It is measured while
// nothing fails, because work that waits for the end of a fault isn't a leak. A process is warm a minute after it
// first did work: code is compiled, and caches are full. A restarted process does no work until views connect to
// it. Processes that then live for less than a quarter of the soak are left out and named.
//
// The resident memory (RSS) is less exact: V8 uses up to 64 MiB for new objects, and frees garbage late. It is
// checked for leaks that V8 doesn't see, with a larger tolerance than V8 needs; the regular collections keep the
// rest small.

import type { GatewayProcess } from "../faults/gateway-child.ts";
import { type Inspectable, Inspector } from "../faults/inspector.ts";
import { memoryOf } from "../faults/row.ts";

const mebi = 2 ** 20;
const EVERY = 1000;
const WARM_UP = 60_000;
const LONG_ENOUGH = 0.25;
/** The allowed growth from the first to the last third. */
const IN_USE = 2 * mebi;
/** V8's space for new objects, and half as much again for memory that the allocator keeps. */
const RESIDENT = 96 * mebi;

/** A process whose memory is measured. */
export interface Watched extends Inspectable, Pick<GatewayProcess, "pid" | "isReady"> {
  /** Whether it has work to do. */
  isAtWork(): Promise<boolean>;
}

interface Sample {
  at: number;
  bytes: number;
}

interface Life {
  name: string;
  /** When it first did work. */
  workedAt: number;
  inUse: Sample[];
  resident: Sample[];
}

/** Bytes in the earlier and in the later third of a life. */
interface Course {
  early: number;
  late: number;
}

/** The finding for one process; none if it lived too briefly. */
export interface MemoryFinding {
  name: string;
  inUse: Course | undefined;
  resident: Course | undefined;
  isFlat: boolean;
}

/** Times in milliseconds. */
export interface MemoryWatchOptions {
  /** The whole soak. */
  time: number;
  /** Until a process is warm. */
  warmUp?: number;
}

/** Measures the memory of processes, across restarts. */
export class MemoryWatch {
  readonly #watched: readonly Watched[];
  readonly #lives = new Map<number, Life>();
  readonly #timer: NodeJS.Timeout;
  readonly #options: Required<MemoryWatchOptions>;

  constructor(watched: readonly Watched[], options: MemoryWatchOptions) {
    this.#watched = watched;
    this.#options = { warmUp: WARM_UP, ...options };
    this.#timer = setInterval(() => {
      for (const each of watched) if (each.isReady()) this.#seeResident(each);
    }, EVERY);
  }

  /** Collects garbage in all processes, one after the other, and measures. No fault may be active. */
  async look(): Promise<void> {
    for (const each of this.#watched) {
      const inspector = await Inspector.open(each);
      try {
        await inspector.collect();
        const { heapUsed, external } = await inspector.evaluate<NodeJS.MemoryUsage>(
          "({ ...process.memoryUsage() })",
        );
        const life = this.#lifeOf(each);
        life.inUse.push({ at: performance.now(), bytes: heapUsed + external });
        if (await each.isAtWork()) life.workedAt = Math.min(life.workedAt, performance.now());
      } finally {
        inspector.close();
      }
    }
  }

  end(): MemoryFinding[] {
    clearInterval(this.#timer);
    return [...this.#lives.values()].map((life) => this.#find(life));
  }

  #lifeOf({ name, pid }: Watched): Life {
    const life = this.#lives.get(pid) ?? {
      ...{ name: `${name} (${pid})`, workedAt: Infinity },
      ...{ inUse: [], resident: [] },
    };
    this.#lives.set(pid, life);
    return life;
  }

  #seeResident(watched: Watched): void {
    const life = this.#lifeOf(watched);
    try {
      life.resident.push({ at: performance.now(), bytes: memoryOf(watched.pid) });
    } catch {
      // The process just ended.
    }
  }

  #find({ name, workedAt, ...life }: Life): MemoryFinding {
    const { time, warmUp } = this.#options;
    const courseOf = (samples: readonly Sample[]): Course | undefined => {
      const counted = samples.filter(({ at, bytes }) => at >= workedAt + warmUp && bytes > 0);
      const [first, last] = [counted[0]?.at ?? 0, counted.at(-1)?.at ?? 0];
      if (counted.length < 3 || last - first < LONG_ENOUGH * time) return undefined;
      const third = (last - first) / 3;
      return {
        early: median(counted.filter(({ at }) => at <= first + third)),
        late: median(counted.filter(({ at }) => at >= last - third)),
      };
    };
    const [inUse, resident] = [courseOf(life.inUse), courseOf(life.resident)];
    const isFlat = growthOf(inUse) <= IN_USE && growthOf(resident) <= RESIDENT;
    return { name, inUse, resident, isFlat };
  }
}

function growthOf(course: Course | undefined): number {
  return course ? course.late - course.early : 0;
}

function median(samples: readonly Sample[]): number {
  const sorted = samples.map(({ bytes }) => bytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
