import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { RULES, rulesOf } from "../src/rule.ts";
import { verdictOf } from "../src/scenario.ts";
import { SERVER_SCENARIOS } from "../src/server/index.ts";
import { VIEW_SCENARIOS } from "../src/view/index.ts";

const spec: { role: string }[] = JSON.parse(
  await readFile(new URL("../../../spec/rules.json", import.meta.url), "utf8"),
);

describe("the rules of the package", () => {
  it("are those of the specification's list, word for word, of both roles", () => {
    const theirs = spec.filter(({ role }) => role === "server" || role === "view");
    expect(RULES).toEqual(theirs);
  });

  it.each([
    ["server", SERVER_SCENARIOS, 20],
    ["view", VIEW_SCENARIOS, 28],
  ] as const)("of the role %s are each decided by one scenario", (role, scenarios, count) => {
    const decided = scenarios.flatMap(({ rules }) => rules);
    expect(decided.toSorted()).toEqual(rulesOf(role).map(({ id }) => id));
    expect(decided).toHaveLength(count);
  });
});

describe("a verdict", () => {
  it("fails for a MUST, warns for a SHOULD and a description, and only informs of a MAY", () => {
    const broken = (["must", "must-not", "should", "should-not", "described", "may"] as const).map(
      (force) => verdictOf(force, "broken"),
    );
    expect(broken).toEqual(["fail", "fail", "warn", "warn", "warn", "info"]);
  });

  it("is not a pass where the product does nothing that the rule speaks of", () => {
    expect(verdictOf("must", "absent")).toBe("not-run");
    expect(verdictOf("may", "absent")).toBe("not-run");
  });
});
