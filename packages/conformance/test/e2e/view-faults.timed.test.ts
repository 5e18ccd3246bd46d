// For every rule of the view that a scenario can break: a view that breaks it is found.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance } from "../../src/run.ts";
import { leaseBrowser } from "../../src/targets/browser.ts";
import { type ViewFault, wireView } from "../views/wire-view.ts";

let browser: Browser;
beforeAll(async () => {
  const { CHROMIUM: chromium = "/usr/bin/chromium" } = process.env;
  ({ browser } = await leaseBrowser({ chromium }));
});
afterAll(() => browser.close());

async function verdicts(html: string, rules?: string[]): Promise<Record<string, string>> {
  const target = { html, browser };
  const { outcomes } = await runConformance({ role: "view", target, ...(rules && { rules }) });
  return Object.fromEntries(
    outcomes.map(({ id, verdict, note }) => [
      id,
      verdict === "pass" || verdict === "info" ? verdict : `${verdict}: ${note}`,
    ]),
  );
}

const FAULTS: [rule: string, fault: ViewFault, verdict: string, words: string][] = [
  ["VEW-01", "capabilities-elsewhere", "fail", "under `capabilities`"],
  ["VEW-02", "no-initialized", "warn", "initialized never came"],
  ["VEW-03", "modes-undeclared", "fail", 'requests "fullscreen" but declares ["inline"]'],
  ["VEW-04", "mode-unoffered", "fail", 'requested "fullscreen"'],
  ["VEW-05", "mode-insists", "fail", "times"],
  ["VEW-06", "permission-assumed", "warn", "uncaught after a request"],
  ["VEW-09", "acts-on-partial", "fail", "tools/call was sent on partial input"],
  ["VEW-10", "partial-crashes", "warn", "uncaught"],
  ["VEW-11", "size-unreported", "warn", "never came"],
  ["VEW-12", "context-replaced", "warn", "removed the host's style variables"],
  ["VEW-13", "teardown-unanswered", "warn", "not answered"],
  ["VEW-15", "samples-anywhere", "fail", "doesn't offer it"],
  ["VEW-16", "sampling-tools-anywhere", "fail", "without sampling.tools"],
  ["VEW-17", "no-tools-call", "fail", "-32601"],
  ["VEW-18", "no-tools-list", "fail", "-32601"],
  ["VEW-19", "tools-unvalidated", "warn", "an unknown tool is answered"],
  ["VEW-20", "tools-throw", "warn", "fails failed with"],
  ["VEW-21", "tools-bare", "warn", "echo has no description"],
  ["VEW-23", "list-changed-undeclared", "warn", "listChanged"],
  ["VEW-25", "container-ignored", "warn", "not filled"],
  ["VEW-26", "no-fallback", "warn", "var(--color-text-primary) has no fallback"],
  ["VEW-27", "calls-early", "warn", "tools/call before the handshake"],
  ["VEW-27", "listens-late", "warn", "data sent at the end of the handshake is lost"],
  ["VEW-28", "ping-unanswered", "warn", "ping is answered with null"],
  ["VEW-28", "unknown-answered", "warn", "an unknown request"],
  ["VEW-28", "nonsense-crashes", "warn", "uncaught"],
];

describe("a View", () => {
  it("that is correct on the bare wire passes every rule", {
    timeout: 240_000,
  }, async () => {
    const found = await verdicts(wireView());
    expect(Object.entries(found).filter(([, word]) => word !== "pass" && word !== "info")).toEqual(
      [],
    );
    expect(Object.keys(found)).toHaveLength(28);
  });

  it.concurrent.each(FAULTS)(
    "that breaks %s (%s) is found",
    { timeout: 120_000 },
    async (rule, fault, verdict, words) => {
      const { [rule]: word } = await verdicts(wireView(fault), [rule]);
      expect(word).toMatch(new RegExp(`^${verdict}: `));
      expect(word).toContain(words);
    },
  );

  it("that never sends a message fails the rules of its introduction, and leaves the rest undecided", {
    timeout: 240_000,
  }, async () => {
    const target = { html: "<!doctype html><p>Blank", browser, patience: 500 };
    const { outcomes } = await runConformance({ role: "view", target });
    const words = Object.fromEntries(outcomes.map(({ id, verdict }) => [id, verdict]));
    expect(words["VEW-01"]).toBe("fail");
    expect(words["VEW-02"]).toBe("warn");
    expect(Object.values(words).filter((word) => word === "not-run")).toHaveLength(25);
  });
});
