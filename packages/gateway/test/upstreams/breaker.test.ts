import { describe, expect, test } from "vitest";
import { Breaker } from "../../src/upstreams/breaker.ts";

function clocked(options = {}) {
  let time = 0;
  const breaker = new Breaker({ now: () => time, ...options });
  return {
    breaker,
    later: (ms: number) => {
      time += ms;
    },
    fail: () => breaker.enter().fail(),
    succeed: () => breaker.enter().succeed(),
  };
}

describe("the breaker", () => {
  test("opens after five failures within ten seconds", () => {
    const { breaker, fail, later } = clocked();
    for (let n = 0; n < 4; n++) fail();
    later(10_000);
    for (let n = 0; n < 4; n++) fail();
    expect(breaker.state).toBe("closed");
    fail();
    expect(() => breaker.enter()).toThrow(expect.objectContaining({ code: "breaker-open" }));
  });

  test("stays closed while most calls succeed, so that one bad tool doesn't block the server", () => {
    const { breaker, fail, succeed, later } = clocked();
    for (let n = 0; n < 100; n++) {
      fail();
      succeed();
      succeed();
      later(10);
    }
    expect(breaker.state).toBe("closed");
  });

  test("allows a trial call after its pause, and doubles the pause if that fails", () => {
    const { breaker, fail, later } = clocked({ rest: 1000 });
    for (let n = 0; n < 5; n++) fail();
    later(999);
    expect(() => breaker.enter()).toThrow();
    later(251);
    const trial = breaker.enter();
    expect(() => breaker.enter()).toThrow();
    trial.fail();
    later(1999);
    expect(() => breaker.enter()).toThrow();
    later(501);
    breaker.enter().succeed();
    expect(breaker.state).toBe("closed");
    for (let n = 0; n < 5; n++) breaker.enter().succeed();
  });

  test("an inconclusive trial is followed by another", () => {
    const { breaker, fail, later } = clocked({ rest: 1000 });
    for (let n = 0; n < 5; n++) fail();
    later(1250);
    const trial = breaker.enter();
    trial.drop();
    trial.fail();
    breaker.enter().succeed();
    expect(breaker.state).toBe("closed");
  });

  test("ignores calls that began before it opened", () => {
    const { breaker, fail } = clocked();
    const [first, second] = [breaker.enter(), breaker.enter()];
    for (let n = 0; n < 5; n++) fail();
    first.succeed();
    second.fail();
    expect(breaker.state).toBe("open");
  });
});
