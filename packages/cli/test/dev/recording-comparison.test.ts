import { describe, expect, test } from "vitest";
import { parseRecording, type RecordedFrame } from "../../src/dev/recording.ts";
import { comparedMessages, compareRecordings } from "../../src/dev/recording-comparison.ts";

const fromView = (message: object, at = 0, view = 1): RecordedFrame => ({
  at,
  from: "view",
  to: "host",
  view,
  message,
});
const fromHost = (message: object, at = 0, view = 1): RecordedFrame => ({
  at,
  from: "host",
  to: "view",
  view,
  message,
});

const GREETING = [
  fromView({ id: 1, method: "ui/initialize", params: { appInfo: { name: "a" } } }),
  fromHost({
    id: 1,
    result: { hostContext: { theme: "light", containerDimensions: { width: 500 } } },
  }),
  fromView({ method: "ui/notifications/initialized" }),
  fromHost({ method: "ui/notifications/tool-input", params: { arguments: { city: "Graz" } } }),
];

describe("compareRecordings", () => {
  test("ignores ids, times, widths and the order of members", () => {
    const other = [
      fromView({ params: { appInfo: { name: "a" } }, method: "ui/initialize", id: "x7" }, 90),
      fromHost(
        {
          id: "x7",
          result: { hostContext: { containerDimensions: { width: 320 }, theme: "light" } },
        },
        99,
      ),
      fromView({ method: "ui/notifications/initialized" }, 100),
      fromHost(
        { method: "ui/notifications/tool-input", params: { arguments: { city: "Graz" } } },
        110,
      ),
    ];
    expect(compareRecordings({ frames: GREETING }, { frames: other })).toBeUndefined();
  });

  test("ignores sizes, pings and which side sent first", () => {
    const [hello, welcome, ready, input] = GREETING as [
      RecordedFrame,
      RecordedFrame,
      RecordedFrame,
      RecordedFrame,
    ];
    const size = fromView({ method: "ui/notifications/size-changed", params: { height: 3 } });
    const ping = fromHost({ id: 9, method: "ping" });
    const pong = fromView({ id: 9, result: {} });
    const frames = [hello, size, welcome, input, ready, ping, pong];
    expect(compareRecordings({ frames: GREETING }, { frames })).toBeUndefined();
    expect(comparedMessages({ frames })).toBe(4);
  });

  test("names the view, the sender and the message that differs", () => {
    const frames = GREETING.map((frame, at) =>
      at === 3
        ? fromHost({
            method: "ui/notifications/tool-input",
            params: { arguments: { city: "Linz" } },
          })
        : frame,
    );
    const difference = compareRecordings({ frames: GREETING }, { frames });
    expect(difference).toMatchObject({ view: 1, from: "host", index: 2 });
    expect(difference?.words).toContain("Message 2 of the host in View 1 differs");
    expect(difference?.words).toContain("Graz");
    expect(difference?.words).toContain("Linz");
  });

  test("reports a missing message and a new one", () => {
    const short = { frames: GREETING.slice(0, 3) };
    expect(compareRecordings({ frames: GREETING }, short)).toMatchObject({
      from: "host",
      now: undefined,
    });
    expect(compareRecordings(short, { frames: GREETING })).toMatchObject({ recorded: undefined });
  });

  test("matches responses by request: another error for the same request is a difference", () => {
    const ask = fromView({ id: 5, method: "tools/call", params: { name: "a" } });
    const yes = fromHost({ id: 5, result: { content: [] } });
    const no = fromHost({ id: 5, error: { code: -32000, message: "no" } });
    const difference = compareRecordings({ frames: [ask, yes] }, { frames: [ask, no] });
    expect(difference?.recorded).toBe('answer to tools/call {"content":[]}');
    expect(difference?.now).toMatch(/^error to tools\/call/);
  });

  test("compares each view separately, whatever the server sends in between", () => {
    const server: RecordedFrame = {
      at: 0,
      from: "server",
      to: "host",
      message: { id: 1, result: {} },
    };
    const second = GREETING.map((frame) => ({ ...frame, view: 2 }));
    const both = { frames: [...GREETING, server, ...second] };
    expect(compareRecordings(both, { frames: [...GREETING, ...second] })).toBeUndefined();
    expect(compareRecordings(both, { frames: GREETING })).toMatchObject({ view: 2 });
  });
});

describe("parseRecording", () => {
  const whole = {
    vitrine: "recording",
    version: 1,
    server: { name: "s", era: "modern", capabilities: {} },
    inputs: [{ at: 0, kind: "run", tool: "t", arguments: {} }],
    frames: GREETING,
  };

  test("accepts a written recording", () => {
    expect(parseRecording(JSON.stringify(whole)).frames).toHaveLength(4);
  });

  test.each([
    ["{", "not JSON"],
    [JSON.stringify({ ...whole, vitrine: undefined }), '"vitrine": "recording"'],
    [JSON.stringify({ ...whole, version: 2 }), "version is 2"],
    [JSON.stringify({ ...whole, server: {} }), "doesn't name a server"],
    [JSON.stringify({ ...whole, inputs: [{ kind: "dance" }] }), '"inputs"'],
    [JSON.stringify({ ...whole, frames: [{ from: "moon", to: "host", message: {} }] }), '"frames"'],
  ])("names the problem of %s", (text, words) => {
    expect(() => parseRecording(text)).toThrow(words);
  });
});
