import { expect, test } from "vitest";
import { createRecorder } from "../../src/dev/recorder.ts";
import type { RecordedFrame } from "../../src/dev/recording.ts";

test("orders the messages of a recording by the time they were sent, not reported", async () => {
  const server = { name: "fixture", era: "modern" as const, capabilities: {} };
  const recorder = createRecorder({ server: () => server });
  const frame = (after: number, from: RecordedFrame["from"], method: string): RecordedFrame => ({
    at: recorder.began + after,
    from,
    to: "host",
    message: { jsonrpc: "2.0", method },
  });
  recorder.add(frame(30, "server", "third"));
  recorder.add(frame(10, "view", "first"));
  recorder.add(frame(20, "view", "second"));
  const { frames } = recorder.recording;
  expect(frames.map(({ at }) => at)).toEqual([10, 20, 30]);
  expect(frames.map(({ message }) => (message as { method: string }).method)).toEqual([
    "first",
    "second",
    "third",
  ]);
  await recorder.close();
});
