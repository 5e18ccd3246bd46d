import { describe, expect, it } from "vitest";
import { actionOf, mergeFills } from "../../src/dev/recorded-actions.ts";
import { parseRecording, type RecordedInput } from "../../src/dev/recording.ts";
import { AGENT_MARK } from "../../src/frame/frame-agent.ts";
import { readReport } from "../../src/frame/read-report.ts";

const target = { role: "textbox", name: "Title", css: "input" };
const fill = (at: number, value: string): RecordedInput => ({
  at,
  kind: "fill",
  selector: target,
  value,
});

describe("recorded actions", () => {
  it("make one text of keystrokes that had no effect", () => {
    const inputs = [fill(1, "a"), fill(2, "ab"), fill(3, "abc")];
    expect(mergeFills(inputs, [])).toEqual([fill(3, "abc")]);
    const sent = { at: 2.5, from: "view", to: "host", message: {} } as const;
    expect(mergeFills(inputs, [sent])).toEqual([fill(2, "ab"), fill(3, "abc")]);
  });

  it("are cut and checked, because a view can forge reports", () => {
    const forged = {
      kind: "action",
      action: "fill",
      value: "x".repeat(9_000),
      css: "y".repeat(9_000),
    };
    const report = readReport(AGENT_MARK + JSON.stringify({ page: "1", ...forged }))?.report;
    expect(report?.kind).toBe("action");
    const action = actionOf(report as never, 0);
    expect(action?.value).toHaveLength(2_000);
    expect(action?.selector).toEqual({ css: "y".repeat(1_000) });
    const unknown = { ...forged, action: "navigate" };
    expect(readReport(AGENT_MARK + JSON.stringify(unknown))).toBeUndefined();
    expect(actionOf({ ...report, action: "select", value: "{}" } as never, 0)).toBeUndefined();
  });
});

describe("a recording", () => {
  const recording = (...inputs: unknown[]): string =>
    JSON.stringify({
      vitrine: "recording",
      version: 1,
      server: { name: "s", era: "modern", capabilities: {} },
      inputs,
      frames: [],
    });

  it("may contain selectors as text and as objects", () => {
    const inputs = [
      { at: 0, kind: "click", selector: "#more" },
      fill(1, "a"),
      { at: 2, kind: "select", selector: target, value: ["b"] },
      { at: 3, kind: "consent", about: "tool", allow: true },
    ];
    expect(parseRecording(recording(...inputs)).inputs).toEqual(inputs);
  });

  it.each([
    { kind: "click" },
    { kind: "click", selector: { role: "button" } },
    { kind: "click", selector: "a".repeat(3_000) },
    { kind: "fill", selector: "#a", value: "x".repeat(20_000) },
    { kind: "select", selector: "#a", value: "b" },
    { kind: "navigate", selector: "#a", value: "https://example.com" },
    { kind: "consent", about: "tool", allow: "yes" },
  ])("is rejected with the input %j", (input) => {
    expect(() => parseRecording(recording(input))).toThrow(/neither a run nor an action/);
  });
});
