import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { HOST_SCENARIOS } from "../src/host/index.ts";
import { RULES, rulesOf } from "../src/rule.ts";
import { SANDBOX_SCENARIOS } from "../src/sandbox/index.ts";
import { verdictOf } from "../src/scenario.ts";
import { SERVER_SCENARIOS } from "../src/server/index.ts";
import { VIEW_SCENARIOS } from "../src/view/index.ts";

const spec: object[] = JSON.parse(
  await readFile(new URL("../../../spec/rules.json", import.meta.url), "utf8"),
);

describe("the rules of the package", () => {
  it("are those of the specification's list, word for word, all 147", () => {
    expect(RULES).toEqual(spec);
    expect(RULES).toHaveLength(147);
  });

  it.each([
    ["server", SERVER_SCENARIOS, 20],
    ["host", HOST_SCENARIOS, 84],
    ["sandbox", SANDBOX_SCENARIOS, 15],
    ["view", VIEW_SCENARIOS, 28],
  ] as const)("of the role %s are each decided by one scenario", (role, scenarios, count) => {
    const decided = scenarios.flatMap(({ rules }) => [...rules]);
    const ids = rulesOf(role).map(({ id }) => id);
    expect(decided.toSorted()).toEqual(ids.toSorted());
    expect(decided).toHaveLength(count);
  });
});

describe("a verdict", () => {
  it("fails for a MUST, warns for a SHOULD and a description, and only informs about a MAY", () => {
    const broken = (["must", "must-not", "should", "should-not", "described", "may"] as const).map(
      (force) => verdictOf(force, "broken"),
    );
    expect(broken).toEqual(["fail", "fail", "warn", "warn", "warn", "info"]);
  });

  it("is not a pass if the product doesn't use the feature of the rule", () => {
    expect(verdictOf("must", "absent")).toBe("not-run");
    expect(verdictOf("may", "absent")).toBe("not-run");
  });
});
