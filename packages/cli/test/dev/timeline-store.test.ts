import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTimelineStore } from "../../pages/dev/timeline-store.ts";
import type { Party, RecordedFrame } from "../../src/dev/recording.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const frame = (at: number, from: Party, method: string): RecordedFrame => ({
  at,
  from,
  to: "host",
  message: { jsonrpc: "2.0", method },
});

/** A timeline, and its number of rows at each notification. */
function watchedTimeline() {
  const timeline = createTimelineStore();
  const seen: number[] = [];
  timeline.subscribe(() => seen.push(timeline.rows.length));
  return { timeline, seen };
}

test("orders a late message by the time it was sent", () => {
  const timeline = createTimelineStore();
  timeline.add(frame(30, "view", "third"));
  timeline.add(frame(10, "server", "first"));
  timeline.add(frame(20, "server", "second"));
  expect(timeline.rows.map(({ method }) => method)).toEqual(["first", "second", "third"]);
});

test("orders a message that arrives after others were drawn by the time it was sent", () => {
  const timeline = createTimelineStore();
  timeline.add(frame(10, "view", "first"));
  timeline.add(frame(30, "view", "third"));
  vi.advanceTimersByTime(1000);
  timeline.add(frame(20, "server", "second"));
  expect(timeline.rows.map(({ method }) => method)).toEqual(["first", "second", "third"]);
});

test("doesn't notify while paused, and notifies once afterwards", () => {
  const { timeline, seen } = watchedTimeline();
  timeline.add(frame(1, "view", "sent"));
  timeline.rest(700);
  timeline.add(frame(2, "view", "sent"));
  vi.advanceTimersByTime(690);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(seen).toEqual([2]);
});

test("a pause can be shortened", () => {
  const { timeline, seen } = watchedTimeline();
  timeline.rest(10_000);
  timeline.add(frame(1, "view", "sent"));
  timeline.rest(60);
  vi.advanceTimersByTime(260);
  expect(seen).toEqual([1]);
});

test("notifies a few times a second during a burst", () => {
  const { timeline, seen } = watchedTimeline();
  for (let at = 0; at < 1000; at += 10) {
    timeline.add(frame(at, "view", "sent"));
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(1000);
  expect(seen.length).toBeLessThan(7);
  expect(seen.at(-1)).toBe(100);
});

test("cleared messages don't come back with a pending draw", () => {
  const timeline = createTimelineStore();
  timeline.add(frame(1, "view", "old"));
  timeline.clear();
  vi.advanceTimersByTime(1000);
  expect(timeline.rows).toEqual([]);
});
