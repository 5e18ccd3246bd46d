import { describe, expect, test } from "vitest";
import { refuse } from "../../src/errors/refusal.ts";
import { createLog } from "../../src/observability/log.ts";
import { joinRecorders } from "../../src/observability/recorders.ts";
import { createScrubber } from "../../src/observability/scrubber.ts";
import type { Exchange } from "../../src/policy/exchange.ts";
import type { Recorder } from "../../src/policy/pipeline.ts";

const SECRET = "only-the-operator-knows";

function write(secrets: string[], facts: object, message = "said"): { text: string; line: object } {
  let text = "";
  const log = createLog({
    level: "info",
    scrubber: () => createScrubber(secrets),
    destination: {
      write: (line) => {
        text += line;
      },
    },
  });
  log.info(facts, message);
  return { text, line: JSON.parse(text) };
}

describe("a line of the log", () => {
  test("has no secret of the configuration, wherever it came from (G135)", () => {
    const cause = `connect to https://x.example/?key=${SECRET} failed`;
    const { text, line } = write([SECRET], { cause, deep: [{ a: SECRET }] }, `about ${SECRET}`);
    expect(text).not.toContain(SECRET);
    expect(line).toMatchObject({ deep: [{ a: "[redacted]" }], msg: "about [redacted]" });
  });

  test("contains nothing that looks like a secret either", () => {
    const bearer = "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    const { text } = write([], { cause: bearer });
    expect(text).not.toContain("c2lnbmF0dXJl");
  });

  test("stays valid JSON, whatever it contains", () => {
    const cause = `a "quoted" \\ back\nslash ${SECRET} "`;
    const { line } = write([SECRET], { cause });
    expect(line).toMatchObject({ cause: 'a "quoted" \\ back\nslash [redacted] "' });
  });

  test("keeps short words that are secrets elsewhere", () => {
    expect(write(["warn"], { level2: "a warning" }).line).toMatchObject({ level2: "a warning" });
  });
});

describe("several recorders", () => {
  const exchange = {} as Exchange;
  const silent: Recorder = { admit: () => undefined, refused: () => {}, answered: () => {} };
  const failing = (): never => {
    throw new Error("broken");
  };

  test("follow the first one, and none of the others can fail a call", async () => {
    const errors: unknown[] = [];
    const broken: Recorder = { admit: failing, refused: failing, answered: failing };
    const full = refuse("audit-full", "full");
    const first: Recorder = { ...silent, admit: () => full };
    const joined = joinRecorders(first, [broken], (error) => errors.push(error));
    expect(await joined.admit(exchange)).toBe(full);
    joined.refused(exchange, "audit", full);
    await joined.answered(exchange, { kind: "result", bytes: 0, milliseconds: 0 });
    expect(errors).toHaveLength(3);
  });

  test("a first that fails stops the call", () => {
    const joined = joinRecorders({ ...silent, admit: failing }, [silent], () => {});
    expect(() => joined.admit(exchange)).toThrow("broken");
  });
});
