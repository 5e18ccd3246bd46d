// A few views of `npm run bad-states`: a bad state of each kind, and a sound view.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CheckReport, checkServer } from "../../src/check/check.ts";
import { FRAMEWORK_STATES } from "../bad-states/framework-states.ts";
import { RESULT } from "../bad-states/state-view.ts";
import { HEALTHY_VANILLA, VANILLA_STATES } from "../bad-states/vanilla-states.ts";
import { type BrokenProject, makeBrokenProject } from "../broken-views/project.ts";
import { closePages, sharedBrowser } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 120_000 });

const NAMES = ["vanilla-loading-cancelled", "svelte-swallowed", "vue-stacked-letters"];
const bad = [...VANILLA_STATES, ...FRAMEWORK_STATES].filter(({ name }) => NAMES.includes(name));
const sound = HEALTHY_VANILLA.filter(({ name }) => name === "vanilla-long-words");
let browser: Browser;
let project: BrokenProject;
beforeAll(async () => {
  browser = await sharedBrowser();
  project = await makeBrokenProject([...bad, ...sound], { modes: ["production"], result: RESULT });
});
afterAll(async () => {
  await project?.remove();
  await closePages();
});

function check(name: string): Promise<CheckReport> {
  const [program, ...args] = project.command("production");
  return checkServer(
    { kind: "command", program, args },
    { browser, tools: [name], folder: project.folder },
  );
}

test.for(bad)(
  "finds the bad state of $name",
  { timeout: 120_000 },
  async ({ name, code, cause }) => {
    const { findings } = await check(name);
    expect(findings.find((one) => one.code === code)?.cause).toMatch(cause);
  },
);

test("finds nothing in a sound view with long addresses, code and hyphens", {
  timeout: 120_000,
}, async () => {
  const { findings } = await check("vanilla-long-words");
  expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});
