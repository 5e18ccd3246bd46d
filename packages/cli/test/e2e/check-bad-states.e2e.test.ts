// A few views of `npm run bad-states`: a bad state of each kind, and a sound view.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CheckReport, checkServer } from "../../src/check/check.ts";
import type { RunName } from "../../src/check/render/runs.ts";
import { FRAMEWORK_STATES } from "../bad-states/framework-states.ts";
import { RESULT } from "../bad-states/state-view.ts";
import { HEALTHY_VANILLA, TWO_BUTTONS, VANILLA_STATES } from "../bad-states/vanilla-states.ts";
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
  const options = { modes: ["production"], result: RESULT } as const;
  project = await makeBrokenProject([...bad, ...sound, TWO_BUTTONS], options);
});
afterAll(async () => {
  await project?.remove();
  await closePages();
});

function check(name: string, runs?: readonly RunName[]): Promise<CheckReport> {
  const [program, ...args] = project.command("production");
  return checkServer(
    { kind: "command", program, args },
    { browser, tools: [name], folder: project.folder, ...(runs && { runs }) },
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

test("finds the error of one button when another one calls a tool", {
  timeout: 60_000,
}, async () => {
  const { findings } = await check(TWO_BUTTONS.name, ["normal"]);
  const errors = findings.filter(({ code }) => code === "script-error").map(({ cause }) => cause);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(
    /the card has expired \(views\/vanilla-two-buttons\/main\.ts:\d+:\d+\)/,
  );
});

test("finds nothing in a sound view with long addresses, code and hyphens", {
  timeout: 120_000,
}, async () => {
  const { findings } = await check("vanilla-long-words");
  expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});
