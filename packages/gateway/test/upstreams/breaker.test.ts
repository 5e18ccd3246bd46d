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

  test("stays closed while most calls go well: one bad tool does not take the server from all", () => {
    const { breaker, fail, succeed, later } = clocked();
    for (let n = 0; n < 100; n++) {
      fail();
      succeed();
      succeed();
      later(10);
    }
    expect(breaker.state).toBe("closed");
  });

  test("lets one call try after its rest, and rests twice as long when that fails", () => {
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

  test("a trial that says nothing leaves the next one to try", () => {
    const { breaker, fail, later } = clocked({ rest: 1000 });
    for (let n = 0; n < 5; n++) fail();
    later(1250);
    const trial = breaker.enter();
    trial.drop();
    trial.fail();
    breaker.enter().succeed();
    expect(breaker.state).toBe("closed");
  });

  test("calls that began before it opened do not open it longer, nor close it", () => {
    const { breaker, fail } = clocked();
    const [first, second] = [breaker.enter(), breaker.enter()];
    for (let n = 0; n < 5; n++) fail();
    first.succeed();
    second.fail();
    expect(breaker.state).toBe("open");
  });
});
