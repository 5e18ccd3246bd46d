import { expect, test } from "vitest";
import { readableLine, readableText } from "../../src/gateway/readable-log.ts";

const marked = { style: (style: string, text: string) => `<${style}>${text}</>` };
const plain = { style: (_: string, text: string) => text };

test("a line of the log is read as time, level, words and facts", () => {
  const line = JSON.stringify({
    level: "warn",
    time: "2026-11-15T10:20:30.400Z",
    server: "station",
    ms: 12,
    code: null,
    msg: "server failed",
  });
  expect(readableLine(`${line}\n`, plain)).toBe(
    "10:20:30 warn  server failed  server=station ms=12",
  );
  expect(readableLine(line, marked)).toContain("<yellow>warn </>");
  const bare = JSON.stringify({ level: "info", time: "2026-11-15T10:20:30.400Z", msg: "closed" });
  expect(readableLine(bare, marked)).toBe("<dim>10:20:30</> <cyan>info </> closed");
});

test.each(["no JSON at all\n", "12\n", "null\n"])("%j is printed as it is", (line) => {
  expect(readableLine(line, plain)).toBe(line.trimEnd());
});

test("labels stand out, and what is wrong stands out most", () => {
  expect(readableText("Gateway    http://x\nServer     a: b\n", marked)).toBe(
    "<bold>Gateway</>    http://x\n<bold>Server</>     a: b\n",
  );
  expect(readableText("The log was MODIFIED or damaged.\n", marked)).toContain("<red>MODIFIED</>");
  expect(readableText("2026-11-15T10:20:30.400Z  deny     rate\n", marked)).toContain(
    "<yellow>deny</>",
  );
});
