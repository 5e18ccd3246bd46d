import { describe, expect, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createHealth } from "../../src/observability/health.ts";

function engineThatIsAway({ shared }: { shared: boolean }): Engine {
  const put = async (): Promise<never> => {
    throw Object.assign(new Error("away"), { code: "unavailable" });
  };
  return { caps: { shared }, kv: () => ({ put }) } as unknown as Engine;
}

describe("a gateway whose engine is unavailable", () => {
  const audit = { state: { status: "writing" } } as never;

  test("isn't ready if the engine is its own", async () => {
    const health = createHealth({ engine: engineThatIsAway({ shared: false }), audit });
    expect(await health.problems()).toEqual(["engine unavailable"]);
  });

  test("stays ready if the engine is shared, because all processes would fail at once otherwise", async () => {
    const health = createHealth({ engine: engineThatIsAway({ shared: true }), audit });
    expect(await health.problems()).toEqual([]);
  });

  test("isn't ready if it can't write audit records", async () => {
    const failing = { state: { status: "failing" } } as never;
    const health = createHealth({ engine: engineThatIsAway({ shared: true }), audit: failing });
    expect(await health.problems()).toEqual(["audit failing"]);
  });
});
