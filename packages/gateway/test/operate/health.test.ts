import { describe, expect, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createHealth } from "../../src/operate/health.ts";

function engineThatIsAway({ shared }: { shared: boolean }): Engine {
  const put = async (): Promise<never> => {
    throw Object.assign(new Error("away"), { code: "unavailable" });
  };
  return { caps: { shared }, kv: () => ({ put }) } as unknown as Engine;
}

describe("a gateway whose engine is away", () => {
  const audit = { state: { status: "writing" } } as never;

  test("is not ready when the engine is its own: nobody else needs it", async () => {
    const health = createHealth({ engine: engineThatIsAway({ shared: false }), audit });
    expect(await health.problems()).toEqual(["engine unavailable"]);
  });

  test("stays ready when all share the engine: else every process would leave service at once", async () => {
    const health = createHealth({ engine: engineThatIsAway({ shared: true }), audit });
    expect(await health.problems()).toEqual([]);
  });

  test("is not ready when it cannot record, whoever has the engine", async () => {
    const failing = { state: { status: "failing" } } as never;
    const health = createHealth({ engine: engineThatIsAway({ shared: true }), audit: failing });
    expect(await health.problems()).toEqual(["audit failing"]);
  });
});
