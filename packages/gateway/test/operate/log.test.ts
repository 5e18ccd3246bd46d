import { describe, expect, test } from "vitest";
import { createLog } from "../../src/operate/log.ts";
import { createScrubber } from "../../src/operate/scrubber.ts";
import { joinWitnesses } from "../../src/operate/witnesses.ts";
import type { Exchange } from "../../src/pipeline/exchange.ts";
import type { Witness } from "../../src/pipeline/pipeline.ts";
import { refuse } from "../../src/pipeline/refusal.ts";

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

  test("has none that only looks like one either", () => {
    const bearer = "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    const { text } = write([], { cause: bearer });
    expect(text).not.toContain("c2lnbmF0dXJl");
  });

  test("stays JSON, whatever stands in it", () => {
    const cause = `a "quoted" \\ back\nslash ${SECRET} "`;
    const { line } = write([SECRET], { cause });
    expect(line).toMatchObject({ cause: 'a "quoted" \\ back\nslash [redacted] "' });
  });

  test("keeps short words that are secrets elsewhere", () => {
    expect(write(["warn"], { level2: "a warning" }).line).toMatchObject({ level2: "a warning" });
  });
});

describe("several witnesses", () => {
  const exchange = {} as Exchange;
  const silent: Witness = { admit: () => undefined, refused: () => {}, answered: () => {} };
  const failing = (): never => {
    throw new Error("broken");
  };

  test("decide by the first alone, and none of the others can fail a call", async () => {
    const errors: unknown[] = [];
    const broken: Witness = { admit: failing, refused: failing, answered: failing };
    const full = refuse("audit-full", "full");
    const first: Witness = { ...silent, admit: () => full };
    const joined = joinWitnesses(first, [broken], (error) => errors.push(error));
    expect(await joined.admit(exchange)).toBe(full);
    joined.refused(exchange, "audit", full);
    await joined.answered(exchange, { kind: "result", bytes: 0, milliseconds: 0 });
    expect(errors).toHaveLength(3);
  });

  test("a first that fails stops the call", () => {
    const joined = joinWitnesses({ ...silent, admit: failing }, [silent], () => {});
    expect(() => joined.admit(exchange)).toThrow("broken");
  });
});
