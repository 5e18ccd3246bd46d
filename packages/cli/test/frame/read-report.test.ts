import { expect, test } from "vitest";
import { AGENT_MARK } from "../../src/frame/frame-agent.ts";
import { readReport } from "../../src/frame/read-report.ts";

const send = (value: unknown): string => `${AGENT_MARK}${JSON.stringify(value)}`;

test("reads an error with its stack and location", () => {
  const sent = readReport(
    send({ page: "3", kind: "error", message: "x", stack: "s", line: 4, column: 2 }),
  );
  expect(sent).toEqual({
    page: "3",
    report: { kind: "error", message: "x", stack: "s", source: "", line: 4, column: 2 },
  });
});

test.each([
  ["not text", { kind: "error" }],
  ["without the mark", JSON.stringify({ kind: "error" })],
  ["not JSON", `${AGENT_MARK}{`],
  ["of an unknown kind", send({ kind: "run" })],
  ["of an inherited kind", send({ kind: "constructor" })],
  ["null", send(null)],
  ["too long", send({ kind: "error", message: "x".repeat(40_000) })],
  ["a console call of an unknown level", send({ kind: "console", level: "table", text: "x" })],
])("ignores a message that is %s", (_, message) => {
  expect(readReport(message)).toBeUndefined();
});

test("keeps only text and numbers of a forged report, and not all of a long one", () => {
  const forged = {
    kind: "error",
    page: { toString: 1 },
    message: "m".repeat(9_000),
    stack: ["x"],
    line: -4,
    column: 1.5,
    html: "<b>",
  };
  expect(readReport(send(forged))).toEqual({
    page: "",
    report: {
      kind: "error",
      message: "m".repeat(4_000),
      stack: "",
      source: "",
      line: 0,
      column: 0,
    },
  });
});
