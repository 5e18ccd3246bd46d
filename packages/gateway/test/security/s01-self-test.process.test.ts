import { describe, expect, test } from "vitest";
import { hasEscapedKeyBug } from "../../src/json-rpc/escaped-key-bug.ts";
import { runSelfTest } from "../../src/service/self-test.ts";
import { openServiceStage } from "../service/stage.ts";

const WARNING = "misreads some escaped JSON keys";

describe("S1: the self-test of the JavaScript engine", () => {
  test("S1: finds the bug where the engine has it, every time it runs", () => {
    // Read in other shapes than the self-test's, so that neither depends on the other.
    JSON.parse('{"another-shape":0,"name\\\\":1}');
    const parsed = JSON.parse('{"another-shape":0,"name\\u0073":1}') as object;
    expect(hasEscapedKeyBug()).toBe(!Object.hasOwn(parsed, "names"));
    expect(hasEscapedKeyBug()).toBe(hasEscapedKeyBug());
  });

  test("S1: a gateway that starts warns the operator exactly then", async () => {
    await using stage = await openServiceStage();
    expect(stage.logText().includes(WARNING)).toBe(hasEscapedKeyBug());
  });

  test.each([true, false])("S1: warns once if the bug is there: %s", (hasBug) => {
    const warnings: unknown[] = [];
    runSelfTest({ warn: (...said: unknown[]) => void warnings.push(said) }, () => hasBug);
    expect(warnings).toHaveLength(hasBug ? 1 : 0);
  });
});
