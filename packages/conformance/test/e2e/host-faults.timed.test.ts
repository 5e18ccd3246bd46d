// For every rule of the host that a scenario can break: a host that breaks it is found.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance } from "../../src/run.ts";
import { leaseBrowser } from "../../src/targets/browser.ts";
import type { HostFault } from "../hosts/wire/fault.ts";
import { serveWireHost } from "../hosts/wire/serve-wire-host.ts";

const FAULTS: [rule: string, fault: HostFault, verdict: string, words: string][] = [
  ["HST-01", "extension-missing", "fail", "io.modelcontextprotocol/ui"],
  ["HST-02", "mime-missing", "warn", 'mimeTypes is ["text/html"]'],
  ["HST-03", "plain-framed", "warn", "for a tool without a view it read"],
  ["HST-04", "flat-ignored", "warn", "alone is not accepted"],
  ["HST-05", "never-reads", "fail", "resources/read requested []"],
  ["HST-07", "list-ignored", "fail", "declared only in the list"],
  ["HST-08", "model-sees-all", "fail", "the model is offered"],
  ["HST-09", "visibility-unchecked", "fail", "was called for the view"],
  ["HST-10", "any-server", "warn", "of another server"],
  ["HST-11", "unmarked-hidden", "warn", "the view may not call it"],
  ["HST-13", "ids-as-text", "warn", "the id 7 was answered"],
  ["HST-13", "cancel-kept", "warn", "was not notified that a call was cancelled"],
  ["HST-20", "direct", "fail", "no frame around the view"],
  ["HST-21", "direct", "fail", "in the host's page itself"],
  ["HST-22", "direct", "fail", "like the host"],
  ["HST-23", "outer-open", "fail", "lacks allow-scripts"],
  ["HST-24", "resource-early", "fail", "no view was shown"],
  ["HST-25", "domains-ignored", "fail", "does not reach the declared"],
  ["HST-26", "loose-default", "fail", "run as code"],
  ["HST-27", "domains-merged", "fail", "declared to connect only"],
  ["HST-28", "no-policy", "fail", "no policy blocked"],
  ["HST-29", "no-policy", "fail", "reaches https://undeclared"],
  ["HST-30", "unlogged", "warn", "is neither in the console"],
  ["HST-31", "unwarned", "warn", "doesn't show that the view needs"],
  ["HST-34", "unvalidated", "warn", "the server got tools/call"],
  ["HST-35", "unreviewed", "warn", "doesn't contain the hash"],
  ["HST-36", "unbounded", "warn", "nothing marks where"],
  ["HST-37", "border-always", "warn", "prefersBorder: false"],
  ["HST-38", "one-origin", "warn", "share the origin"],
  ["HST-40", "context-missing", "warn", "hostContext is undefined"],
  ["HST-41", "context-empty", "warn", "hostContext is empty"],
  ["HST-42", "speaks-early", "fail", "before initialized"],
  ["HST-43", "input-changed", "fail", "the arguments arrived as"],
  ["HST-44", "input-twice", "warn", "came 2 times"],
  ["HST-44", "result-first", "warn", "came before"],
  ["HST-46", "partial-late", "fail", "came after"],
  ["HST-47", "result-stripped", "fail", "of the result arrived as"],
  ["HST-48", "cancel-unsaid", "fail", "was not notified"],
  ["HST-49", "teardown-unsaid", "fail", "gone without"],
  ["HST-51", "teardown-hurried", "warn", "before the view had answered"],
  ["HST-53", "wish-abrupt", "fail", "gone without"],
  ["HST-54", "wish-hurried", "warn", "before the view had answered"],
  ["HST-56", "size-ignored", "fail", "a report of 333 px"],
  ["HST-57", "size-of-view", "warn", "the fixed width"],
  ["HST-58", "mode-forced", "fail", "it went to fullscreen"],
  ["HST-59", "mode-unanswered", "fail", "was answered"],
  ["HST-60", "mode-error", "warn", "which is not offered"],
  ["HST-62", "mode-untold", "warn", "was last notified of inline"],
  ["HST-63", "colours-fixed", "warn", "without light-dark()"],
  ["HST-70", "links-any", "warn", "javascript:"],
  ["HST-71", "download-unasked", "warn", "without asking"],
  ["HST-72", "download-unnamed", "warn", 'named "download'],
  ["HST-73", "download-raw", "warn", "a file was named"],
  ["HST-75", "message-lost", "warn", "doesn't contain the message"],
  ["HST-77", "conversation-returned", "warn", "has conversation"],
  ["HST-78", "context-lost", "warn", "the model context is []"],
  ["HST-80", "context-piles", "warn", "still"],
  ["HST-81", "samples-unasked", "warn", "the user was not asked"],
  ["HST-82", "sampling-unnamed", "warn", "not advertised"],
  ["HST-83", "log-said", "warn", "is in the conversation"],
  ["HST-84", "ping-unknown", "warn", "it was answered"],
  ["HST-90", "tools-asked", "warn", "tools/list was sent"],
  ["HST-91", "tools-anonymous", "warn", "doesn't identify the app"],
  ["HST-92", "tools-unasked", "warn", "without asking"],
  ["HST-93", "tools-plain", "warn", "has the name of a server's"],
  ["HST-94", "tools-unlimited", "warn", "62 tools"],
  ["HST-95", "tools-unlogged", "warn", "doesn't name the view's tools"],
  ["HST-96", "results-unchecked", "warn", "violates its schema was accepted"],
  ["HST-98", "tools-stay", "fail", "after the view's end"],
  ["HST-99", "tools-kept", "fail", "in a page without a view"],
  ["HST-100", "dead-answered", "fail", "it was answered"],
  ["HST-101", "tasks-lost", "warn", "did not reach the view"],
];

describe("a Host", { timeout: 300_000 }, () => {
  let browser: Browser;
  let host: Awaited<ReturnType<typeof serveWireHost>>;
  beforeAll(async () => {
    const { CHROMIUM: chromium = "/usr/bin/chromium" } = process.env;
    [{ browser }, host] = await Promise.all([leaseBrowser({ chromium }), serveWireHost()]);
  });
  afterAll(async () => {
    await browser.close();
    host.close();
  });

  async function verdicts(fault?: HostFault, rules?: string[]): Promise<Record<string, string>> {
    const target = {
      url: host.address(fault),
      approve: "dialog .allow",
      deny: "dialog .deny",
      browser,
      // For a busy machine: a correct host takes a second.
      patience: 30_000,
    };
    const timeout = 200_000;
    const { outcomes } = await runConformance({
      role: "host",
      target,
      timeout,
      ...(rules && { rules }),
    });
    return Object.fromEntries(
      outcomes.map(({ id, verdict, note }) => [
        id,
        verdict === "pass" || verdict === "info" ? verdict : `${verdict}: ${note}`,
      ]),
    );
  }

  it("that is correct on the bare wire passes every rule", async () => {
    const found = await verdicts();
    expect(Object.entries(found).filter(([, word]) => word !== "pass" && word !== "info")).toEqual(
      [],
    );
    expect(Object.keys(found)).toHaveLength(84);
  });

  it.concurrent.each(FAULTS)(
    "that breaks %s (%s) is found",
    async (rule, fault, verdict, words) => {
      const { [rule]: word } = await verdicts(fault, [rule]);
      expect(word).toMatch(new RegExp(`^${verdict}: `));
      expect(word).toContain(words);
    },
  );
});
