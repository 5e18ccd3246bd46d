import { describe, expect, it } from "vitest";
import { until } from "../../gateway/test/upstreams/calls.ts";
import { openShares } from "./shared-limits.ts";
import { openProcesses } from "./stage.ts";

/** Properties of every object. */
const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

describe("S17: names of Object.prototype", () => {
  it("S17: as a tenant, none bypasses the limit of the cluster", async () => {
    const { processes } = await openProcesses(2, { ttl: 60_000 });
    let clock = 0;
    const shares = openShares(processes, { perMinute: 600, now: () => clock });
    await until(() =>
      processes.every(({ cluster }) => cluster.membership.members("edge").length === 1),
    );
    const ask = (name: string): number => {
      let given = 0;
      for (const share of shares) {
        for (let n = 0; n < 1_000; n++) if (share.take(name)) given += 1;
      }
      return given;
    };
    const tell = async (): Promise<void> => {
      for (const share of shares) share.report();
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const share of shares) share.report();
    };
    // There are reports, and none of these tenants is in them.
    ask("acme");
    await tell();
    const usual = ask("bravo");
    expect(usual).toBeLessThan(200);
    for (const name of NAMES) expect([name, ask(name)]).toEqual([name, usual]);
    // And once the processes have told each other what was asked for.
    await tell();
    clock = 10_000;
    const next = ask("bravo");
    expect(next).toBeGreaterThan(0);
    for (const name of NAMES) expect([name, ask(name)]).toEqual([name, next]);
    for (const share of shares) share.close();
  });
});
