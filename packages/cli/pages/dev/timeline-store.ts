import type { RecordedFrame } from "../../src/dev/recording.ts";
import { createTimelineModel, type TimelineRow } from "./timeline-model.ts";

/** The timeline as components follow it. */
export interface TimelineStore {
  /** In the order in which things were said. */
  readonly rows: readonly TimelineRow[];
  add(frame: RecordedFrame, size?: number): void;
  clear(): void;
  /** Announces nothing for so many milliseconds from now, whatever was said before. */
  rest(milliseconds: number): void;
  /** Another number when there is something new: soon where it was quiet, then a few times a second. */
  get(): number;
  subscribe(listener: () => void): () => void;
}

// After what is heard of the server, which comes a little later than what is heard of the View.
const SOON = 120;
// A View that starts says twenty things, and drawing each of them takes from the time it has to start.
const PAUSE = 250;

/** Starts empty. */
export function createTimelineStore(): TimelineStore {
  const model = createTimelineModel();
  const listeners = new Set<() => void>();
  let version = 0;
  let announced = 0;
  let wakes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const announce = (): void => {
    clearTimeout(timer);
    timer = undefined;
    announced = performance.now();
    version++;
    for (const listener of [...listeners]) listener();
  };
  // Not by `requestAnimationFrame`: that waits for ever in a tab that nobody looks at.
  const soon = (): void => {
    if (timer !== undefined) return;
    const now = performance.now();
    timer = setTimeout(announce, Math.max(SOON, wakes - now, announced + PAUSE - now));
  };

  return {
    rows: model.rows,
    add: (frame, size) => {
      model.add(frame, size);
      soon();
    },
    rest: (milliseconds) => {
      wakes = performance.now() + milliseconds;
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      soon();
    },
    clear: () => {
      model.clear();
      announce();
    },
    get: () => version,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
