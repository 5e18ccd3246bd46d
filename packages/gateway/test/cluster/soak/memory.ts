// Whether memory is flat. A process is compared with itself: what it had in use once it was warm with what it has
// in use at the end of its life, as medians of the first and the last third of that time. In use is what a
// collection leaves, which is asked for through the inspector: the heap, and what hangs on it outside of it. It is
// looked at when nothing fails, because what waits for a failure to end is no leak. A minute after it was first
// seen at work a process counts as warm: code is compiled, caches are full. One that was started again is not at
// work before Views come to it. Lives that after that are shorter than a quarter of the soak say nothing and are
// left out, and named.
//
// What is resident (RSS) says little of that: V8 takes up to 64 MiB for what is new, and lets lie what nobody has
// any more until it pleases. It is judged for what is lost outside of V8's sight, with more to spare than V8
// takes; that a collection is asked for now and then keeps the rest of it small.

import type { GatewayProcess } from "../faults/gateway-child.ts";
import { type Inspectable, Inspector } from "../faults/inspector.ts";
import { memoryOf } from "../faults/row.ts";

const mebi = 2 ** 20;
const EVERY = 1000;
const WARM_UP = 60_000;
const LONG_ENOUGH = 0.25;
/** What the later third may have more than the earlier. */
const IN_USE = 2 * mebi;
/** All that V8 takes for what is new, and half as much for what the allocator does not give back. */
const RESIDENT = 96 * mebi;

/** Whose memory is looked at. */
export interface Watched extends Inspectable, Pick<GatewayProcess, "pid" | "isReady"> {
  /** Whether it has something to do, other than to be there. */
  isAtWork(): Promise<boolean>;
}

interface Sample {
  at: number;
  bytes: number;
}

interface Life {
  name: string;
  /** When it was first seen at work. */
  workedAt: number;
  inUse: Sample[];
  resident: Sample[];
}

/** Bytes in the earlier and in the later third of a life. */
interface Course {
  early: number;
  late: number;
}

/** What was found of one process; nothing where its life was too short. */
export interface MemoryFinding {
  name: string;
  inUse: Course | undefined;
  resident: Course | undefined;
  isFlat: boolean;
}

/** How long, in milliseconds. */
export interface MemoryWatchOptions {
  /** The whole soak. */
  time: number;
  /** Until a process counts as warm. */
  warmUp?: number;
}

/** Looks at what processes have in memory, through all their lives. */
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

  /** Has all of them collect, one after the other, and looks at what is left. All of them must be well. */
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
      // It ended in this moment.
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
