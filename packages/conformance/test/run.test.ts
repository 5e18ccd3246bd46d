import { describe, expect, it } from "vitest";
import { conforms, runScenarios, type Target } from "../src/run.ts";
import { broken, holds, NotRun, type Scenario } from "../src/scenario.ts";

class Stand implements Target {
  readonly subject = "stand";
  closed = 0;
  start(): Promise<void> {
    return Promise.resolve();
  }
  close(): Promise<void> {
    this.closed++;
    return Promise.resolve();
  }
}

const scenario = (rules: string[], run: Scenario<Stand>["run"]): Scenario<Stand> => ({
  title: rules.join(),
  rules,
  run,
});
const rule = (number: number): string => `SRV-${String(number).padStart(2, "0")}`;

describe("a run", () => {
  it("continues after a scenario that throws, one that hangs and one that can't run", async () => {
    const target = new Stand();
    const report = await runScenarios(
      [
        scenario([rule(1)], () => Promise.reject(new Error("torn"))),
        scenario([rule(2)], () => new Promise(() => {})),
        scenario([rule(3)], () => Promise.reject(new NotRun("nothing to see"))),
        scenario([rule(4)], () => Promise.resolve([holds(rule(4), "seen")])),
        scenario([rule(5)], () => Promise.resolve([])),
      ],
      target,
      { role: "server", rules: [1, 2, 3, 4, 5].map(rule), timeout: 50 },
    );
    expect(report.outcomes.map(({ verdict }) => verdict)).toEqual([
      "error",
      "error",
      "not-run",
      "pass",
      "not-run",
    ]);
    expect(report.outcomes[0]?.note).toContain("torn");
    expect(report.outcomes[1]?.note).toContain("longer than 0.05 s");
    expect(report.outcomes[2]?.note).toBe("nothing to see");
    expect(target.closed).toBe(1);
    expect(conforms(report)).toBe(false);
  });

  it("runs as many scenarios at once as configured, and one at a time for a server", async () => {
    const most = async (options: { parallel?: number }): Promise<number> => {
      let [now, highest] = [0, 0];
      const run = async (): Promise<[]> => {
        highest = Math.max(highest, ++now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now--;
        return [];
      };
      const six = [1, 2, 3, 4, 5, 6].map((number) => scenario([rule(number)], run));
      await runScenarios(six, new Stand(), { role: "server", ...options });
      return highest;
    };
    expect(await most({ parallel: 3 })).toBe(3);
    expect(await most({})).toBe(1);
  });

  it("that is cancelled starts no further scenario, rejects and closes the target", async () => {
    const target = new Stand();
    const off = new AbortController();
    const begun: number[] = [];
    const four = [1, 2, 3, 4].map((number) =>
      scenario([rule(number)], async () => {
        begun.push(number);
        if (number === 2) off.abort(new Error("out of time"));
        return [];
      }),
    );
    const run = runScenarios(four, target, { role: "server", signal: off.signal });
    await expect(run).rejects.toThrow("out of time");
    expect(begun).toEqual([1, 2]);
    expect(target.closed).toBe(1);
  });

  it("conforms with a broken SHOULD, and not with a broken MUST", async () => {
    const run = async (id: string): Promise<boolean> => {
      const breaks = scenario([id], () => Promise.resolve([broken(id, "seen")]));
      const options = { role: "server", rules: [id] } as const;
      return conforms(await runScenarios([breaks], new Stand(), options));
    };
    expect(await run(rule(12))).toBe(true);
    expect(await run(rule(13))).toBe(false);
  });

  it("reports nothing about an unreachable product, and closes the target", async () => {
    const target = new Stand();
    target.start = () => Promise.reject(new Error("nobody there"));
    await expect(runScenarios([], target, { role: "server" })).rejects.toThrow("nobody there");
    expect(target.closed).toBe(1);
  });
});
