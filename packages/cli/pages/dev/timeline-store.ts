import type { RecordedFrame } from "../../src/dev/recording.ts";
import { createTimelineModel, type TimelineRow } from "./timeline-model.ts";

/** The timeline that components subscribe to. */
export interface TimelineStore {
  /** In the order of the messages. */
  readonly rows: readonly TimelineRow[];
  add(frame: RecordedFrame, size?: number): void;
  clear(): void;
  /** Announces nothing for this many milliseconds. */
  rest(milliseconds: number): void;
  /** A number that changes with new messages: soon after a pause, then a few times a second. */
  get(): number;
  subscribe(listener: () => void): () => void;
}

// After the server's messages, which arrive a little later than the view's.
const SOON = 120;
// A view that starts sends twenty messages, and drawing each of them would slow it down.
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
  // Not with `requestAnimationFrame`, which never runs in a hidden tab.
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
