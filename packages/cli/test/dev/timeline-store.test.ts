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

/** A timeline, and how many rows it had at each announcement. */
function watchedTimeline() {
  const timeline = createTimelineStore();
  const seen: number[] = [];
  timeline.subscribe(() => seen.push(timeline.rows.length));
  return { timeline, seen };
}

test("what is told late stands where it was said, not where it was heard", () => {
  const timeline = createTimelineStore();
  timeline.add(frame(30, "view", "third"));
  timeline.add(frame(10, "server", "first"));
  timeline.add(frame(20, "server", "second"));
  expect(timeline.rows.map(({ method }) => method)).toEqual(["first", "second", "third"]);
});

test("what is told after others were drawn stands where it was said all the same", () => {
  const timeline = createTimelineStore();
  timeline.add(frame(10, "view", "first"));
  timeline.add(frame(30, "view", "third"));
  vi.advanceTimersByTime(1000);
  timeline.add(frame(20, "server", "second"));
  expect(timeline.rows.map(({ method }) => method)).toEqual(["first", "second", "third"]);
});

test("while it rests nothing is announced, and all of it afterwards", () => {
  const { timeline, seen } = watchedTimeline();
  timeline.add(frame(1, "view", "said"));
  timeline.rest(700);
  timeline.add(frame(2, "view", "said"));
  vi.advanceTimersByTime(690);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(seen).toEqual([2]);
});

test("a rest can be cut short", () => {
  const { timeline, seen } = watchedTimeline();
  timeline.rest(10_000);
  timeline.add(frame(1, "view", "said"));
  timeline.rest(60);
  vi.advanceTimersByTime(260);
  expect(seen).toEqual([1]);
});

test("a burst is announced once, and what follows a few times a second", () => {
  const { timeline, seen } = watchedTimeline();
  for (let at = 0; at < 1000; at += 10) {
    timeline.add(frame(at, "view", "said"));
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(1000);
  expect(seen.length).toBeLessThan(7);
  expect(seen.at(-1)).toBe(100);
});

test("what was cleared does not come back with what was not drawn yet", () => {
  const timeline = createTimelineStore();
  timeline.add(frame(1, "view", "old"));
  timeline.clear();
  vi.advanceTimersByTime(1000);
  expect(timeline.rows).toEqual([]);
});
