import type { RecordedFrame } from "../../src/dev/recording.ts";
import { createTimelineModel, type TimelineRow } from "./timeline-model.ts";

/** The timeline as components follow it. */
export interface TimelineStore {
  readonly rows: readonly TimelineRow[];
  add(frame: RecordedFrame, size?: number): void;
  clear(): void;
  /** Another number whenever there is something new, at most once for each painted frame. */
  get(): number;
  subscribe(listener: () => void): () => void;
}

/** Starts empty. */
export function createTimelineStore(): TimelineStore {
  const model = createTimelineModel();
  const listeners = new Set<() => void>();
  let version = 0;
  let isDue = false;

  const announce = (): void => {
    isDue = false;
    version++;
    for (const listener of [...listeners]) listener();
  };
  // Not by `requestAnimationFrame`: that waits for ever in a tab that nobody looks at.
  const soon = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(announce, 16);
  };

  return {
    rows: model.rows,
    add: (frame, size) => {
      model.add(frame, size);
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
