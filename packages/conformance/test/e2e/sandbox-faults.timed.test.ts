// For every rule of the sandbox that a scenario can break: a sandbox that breaks it is found.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance } from "../../src/run.ts";
import { leaseBrowser } from "../../src/targets/browser.ts";
import { type SandboxFault, serveWireSandbox } from "../sandboxes/wire-sandbox.ts";

const FAULTS: [rule: string, fault: SandboxFault, verdict: string, words: string][] = [
  ["SBX-02", "opaque", "fail", "opaque origin"],
  ["SBX-03", "never-ready", "fail", "never came"],
  ["SBX-03", "ready-early", "fail", "was not shown"],
  ["SBX-03", "ready-twice", "fail", "it came 2 times"],
  ["SBX-04", "no-policy", "fail", "undeclared"],
  ["SBX-04", "latin", "fail", "the HTML contains"],
  ["SBX-05", "frames-open", "fail", "is loaded"],
  ["SBX-06", "base-open", "fail", "has an effect, undeclared"],
  ["SBX-07", "objects-open", "fail", "is loaded"],
  ["SBX-08", "loose-default", "fail", "it runs text as code"],
  ["SBX-10", "drops-unknown", "fail", "did not arrive unchanged"],
  ["SBX-11", "drops-answers", "fail", "did not arrive unchanged"],
  ["SBX-12", "relays-reserved", "warn", "reaches the host"],
  ["SBX-13", "asks", "warn", "which was never sent"],
  ["SBX-14", "flags-ignored", "warn", "it has the origin"],
  ["SBX-15", "any-window", "warn", "another window"],
  ["SBX-15", "any-host", "warn", "which is not its host"],
];

describe("a Sandbox", { timeout: 120_000 }, () => {
  let browser: Browser;
  let sandbox: Awaited<ReturnType<typeof serveWireSandbox>>;
  beforeAll(async () => {
    const { CHROMIUM: chromium = "/usr/bin/chromium" } = process.env;
    [{ browser }, sandbox] = await Promise.all([leaseBrowser({ chromium }), serveWireSandbox()]);
  });
  afterAll(async () => {
    await browser.close();
    sandbox.close();
  });

  async function verdicts(
    fault: SandboxFault | "",
    rules?: string[],
  ): Promise<Record<string, string>> {
    const host = "http://app.localhost:8780";
    const target = { url: sandbox.address(fault), host, browser, patience: 3000 };
    const { outcomes } = await runConformance({ role: "sandbox", target, ...(rules && { rules }) });
    return Object.fromEntries(
      outcomes.map(({ id, verdict, note }) => [
        id,
        verdict === "pass" || verdict === "info" ? verdict : `${verdict}: ${note}`,
      ]),
    );
  }

  it("that is correct on the bare wire passes every rule", async () => {
    const found = await verdicts("");
    expect(Object.entries(found).filter(([, word]) => word !== "pass" && word !== "info")).toEqual(
      [],
    );
    expect(Object.keys(found)).toHaveLength(15);
  });

  it.concurrent.each(FAULTS)(
    "that breaks %s (%s) is found",
    async (rule, fault, verdict, words) => {
      const { [rule]: word } = await verdicts(fault, [rule]);
      expect(word).toMatch(new RegExp(`^${verdict}: `));
      expect(word).toContain(words);
    },
  );

  it("on its host's own origin is found", async () => {
    const url = sandbox.address();
    const target = { url, host: new URL(url).origin, browser, patience: 3000 };
    const { outcomes } = await runConformance({ role: "sandbox", target, rules: ["SBX-01"] });
    expect(outcomes[0]?.verdict).toBe("fail");
    expect(outcomes[0]?.note).toContain("are both on http://box.localhost");
  });
});
