// `npm run bad-states`: whether `check` finds each view with a bad state, and finds nothing of the kind
// in sound views and created projects. Names of views as arguments run only those.

import { launchChromium } from "../../src/browser/chromium.ts";
import { type CheckReport, checkServer } from "../../src/check/check.ts";
import type { Code } from "../../src/check/codes.ts";
import type { TemplateName } from "../../src/create/templates.ts";
import { makeBrokenProject } from "../broken-views/project.ts";
import { makeCreated } from "./created-projects.ts";
import { FRAMEWORK_STATES, HEALTHY_FRAMEWORKS } from "./framework-states.ts";
import { RESULT } from "./state-view.ts";
import { HEALTHY_VANILLA, VANILLA_STATES } from "./vanilla-states.ts";

const REQUIRED = 19;
const OF_STATES: readonly Code[] = [
  "stuck",
  "failure-hidden",
  "broken-words",
  "clipped-text",
  "rtl-ignored",
  "domain-unused",
  "permission-unused",
  "visibility-wide",
];
const CREATED: readonly TemplateName[] = ["react", "vue", "svelte", "vanilla", "template-only"];
const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean =>
  wanted.length === 0 || wanted.some((one) => name.includes(one));
const bad = [...VANILLA_STATES, ...FRAMEWORK_STATES].filter(({ name }) => isWanted(name));
const sound = [...HEALTHY_VANILLA, ...HEALTHY_FRAMEWORKS].filter(({ name }) => isWanted(name));
const created = CREATED.filter((name) => isWanted(`created-${name}`));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const wordsOf = ({ findings }: CheckReport): string =>
  findings.map(({ code, severity, cause }) => `\n    ${severity} ${code}: ${cause}`).join("");

const browser = await launchChromium();
let found = 0;
let accused = 0;
/** Whether a view without a fault gets a finding of these kinds. */
function judgeSound(name: string, report: CheckReport): void {
  const wrong = report.findings.filter(({ code }) => OF_STATES.includes(code));
  const isShown = report.views.length > 0 && report.views.every((view) => view.isShown);
  if (wrong.length > 0 || !isShown) accused++;
  say(
    `${wrong.length > 0 || !isShown ? "WRONG" : "ok   "} ${name}${wrong.length > 0 || !isShown ? wordsOf(report) : ""}`,
  );
}

const views = [...bad, ...sound];
const project =
  views.length > 0
    ? await makeBrokenProject(views, { modes: ["production"], result: RESULT })
    : undefined;
try {
  const check = (name: string): Promise<CheckReport> => {
    if (!project) throw new Error("Nothing was built.");
    const [program, ...args] = project.command("production");
    return checkServer(
      { kind: "command", program, args },
      { browser, tools: [name], folder: project.folder },
    );
  };
  for (const { name, code, cause } of bad) {
    const report = await check(name);
    const isFound = report.findings.some((one) => one.code === code && cause.test(one.cause));
    if (isFound) found++;
    say(`${isFound ? "ok   " : "MISS "} ${name}${isFound && !wanted[0] ? "" : wordsOf(report)}`);
  }
  for (const { name } of sound) judgeSound(name, await check(name));
  for (const name of created) {
    const { target, remove } = await makeCreated(name);
    try {
      judgeSound(`created-${name}`, await checkServer(target, { browser }));
    } finally {
      await remove();
    }
  }
} finally {
  await browser.close();
  await project?.remove();
}
const healthy = sound.length + created.length;
say(
  `Bad states: check finds ${found} of ${bad.length}, and accuses ${accused} of ${healthy} sound views.`,
);
process.exitCode = found >= Math.min(REQUIRED, bad.length) && accused === 0 ? 0 : 1;
