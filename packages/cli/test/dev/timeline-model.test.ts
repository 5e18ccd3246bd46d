import { describe, expect, test } from "vitest";
import {
  createTimelineModel,
  EVERYTHING,
  filterRows,
  formatSize,
  formatTime,
  visibleRange,
} from "../../pages/dev/timeline-model.ts";

const frame = (
  at: number,
  from: "view" | "host" | "server",
  to: "view" | "host" | "server",
  message: object,
  view?: number,
) => ({
  at,
  from,
  to,
  message,
  ...(view !== undefined && { view }),
});

function sample() {
  const model = createTimelineModel();
  model.add(frame(0, "view", "host", { id: 1, method: "ui/initialize" }, 1));
  model.add(
    frame(2, "host", "server", { id: 1, method: "tools/call", params: { name: "weather" } }),
  );
  model.add(frame(5, "host", "view", { id: 1, result: {} }, 1));
  model.add(frame(30, "server", "host", { id: 1, error: { code: 1, message: "storm" } }));
  model.add(frame(31, "view", "host", { method: "ui/notifications/size-changed" }, 1));
  return model;
}

describe("the timeline", () => {
  test("pairs responses with the requests of the same side, even if both sides use the same id", () => {
    const { rows } = sample();
    expect(rows[2]).toMatchObject({
      method: "ui/initialize",
      kind: "answer",
      partner: 0,
      elapsed: 5,
    });
    expect(rows[3]).toMatchObject({ method: "tools/call", kind: "error", partner: 1, elapsed: 28 });
    expect(rows[0]?.partner).toBe(2);
  });

  test("separates two views that use the same ids", () => {
    const model = createTimelineModel();
    model.add(frame(0, "view", "host", { id: 1, method: "a" }, 1));
    model.add(frame(1, "view", "host", { id: 1, method: "b" }, 2));
    model.add(frame(2, "host", "view", { id: 1, result: {} }, 1));
    expect(model.rows[2]?.method).toBe("a");
  });

  test("marks a response without a request, and shows a tool's failure as an error", () => {
    const model = createTimelineModel();
    model.add(frame(0, "server", "host", { id: 77, result: { isError: true } }));
    expect(model.rows[0]).toMatchObject({ method: "unexpected response", kind: "error" });
  });

  test("is filtered by side, by errors, by words in method or content, and without noise", () => {
    const { rows } = sample();
    expect(filterRows(rows, EVERYTHING)).toHaveLength(4);
    expect(filterRows(rows, { ...EVERYTHING, noise: true })).toHaveLength(5);
    expect(filterRows(rows, { ...EVERYTHING, side: "server" })).toHaveLength(2);
    expect(filterRows(rows, { ...EVERYTHING, errors: true }).map(({ method }) => method)).toEqual([
      "tools/call",
    ]);
    expect(filterRows(rows, { ...EVERYTHING, search: "WEATHER tools" })).toHaveLength(1);
    expect(filterRows(rows, { ...EVERYTHING, search: "storm" })[0]?.kind).toBe("error");
    expect(filterRows(rows, { ...EVERYTHING, search: "sun" })).toEqual([]);
  });

  test("adds 10,000 messages quickly, and has the visible ones ready", () => {
    const model = createTimelineModel();
    const began = process.cpuUsage();
    for (let at = 0; at < 10_000; at++)
      model.add(frame(at, "view", "host", { id: at, method: "tools/call" }, 1), 40);
    const { user } = process.cpuUsage(began);
    expect(model.rows).toHaveLength(10_000);
    expect(user / 1000).toBeLessThan(500);
    const range = visibleRange({ count: 10_000, height: 520, rowHeight: 26, scrollTop: 26 * 5000 });
    expect(range.begin).toBeLessThanOrEqual(5000);
    expect(range.end - range.begin).toBeLessThan(50);
  });

  test("drops the oldest messages at its limit, and keeps the indices stable", () => {
    const model = createTimelineModel();
    for (let at = 0; at < 21_000; at++) model.add(frame(at, "view", "host", { method: "x" }, 1), 1);
    expect(model.rows.length).toBeLessThanOrEqual(20_000);
    expect(model.rows.at(-1)?.index).toBe(20_999);
  });

  test("formats sizes and times for people", () => {
    expect([formatSize(950), formatSize(1234), formatSize(3_400_000)]).toEqual([
      "950 B",
      "1.2 kB",
      "3.4 MB",
    ]);
    expect([formatTime(0.42), formatTime(12.4), formatTime(1240)]).toEqual([
      "0.4 ms",
      "12 ms",
      "1.24 s",
    ]);
  });
});
