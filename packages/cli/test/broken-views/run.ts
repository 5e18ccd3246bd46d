// `npm run broken-views`: whether `dev` and `check` name file, line and cause of each broken view, and
// how soon. Names of views as arguments run only those.

import { launchChromium } from "../../src/browser/chromium.ts";
import { checkServer } from "../../src/check/check.ts";
import { startDevServer } from "../../src/dev/dev-server.ts";
import { openDevSession } from "../../src/dev/dev-session.ts";
import { readTarget } from "../../src/target/target.ts";
import { type BrokenView, lineOf } from "./broken-view.ts";
import { makeBrokenProject } from "./project.ts";
import { REACT_VIEWS } from "./react-views.ts";
import { SVELTE_VIEWS } from "./svelte-views.ts";
import { VANILLA_VIEWS } from "./vanilla-views.ts";
import { VUE_VIEWS } from "./vue-views.ts";

const REQUIRED = 29;
const LIMIT = 2_000;
const wanted = process.argv.slice(2);
const all = [...VANILLA_VIEWS, ...REACT_VIEWS, ...VUE_VIEWS, ...SVELTE_VIEWS];
const views = all.filter(
  ({ name }) => wanted.length === 0 || wanted.some((one) => name.includes(one)),
);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const project = await makeBrokenProject(views);
const browser = await launchChromium();
const placeOf = (view: BrokenView): string => `views/${view.name}/${view.file}:${lineOf(view)}`;
const missed: string[] = [];
let [inDev, inCheck] = [0, 0];
try {
  const session = await openDevSession({
    start: (callbacks) => startDevServer(readTarget(project.command("development")), callbacks),
    port: 0,
    watch: [],
    folder: project.folder,
    onEvent: () => {},
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(session.url);
  await page.getByRole("tab", { name: /^Problems/ }).click();
  // The clock starts when the view's document does.
  let began = 0;
  page.on("framenavigated", (frame) => {
    if (frame.parentFrame()?.parentFrame()) began = performance.now();
  });
  for (const view of views) {
    began = Number.POSITIVE_INFINITY;
    await page.locator(".tools li button", { hasText: view.name }).first().click();
    await page.getByRole("button", { name: /^Run/ }).click();
    if (view.press) {
      const frame = await viewFrame();
      await frame
        ?.getByRole("button", { name: view.press })
        .click({ timeout: 5_000 })
        .catch(() => {});
      began = performance.now();
    }
    let text = "";
    let took = 0;
    for (const start = performance.now(); ; ) {
      took = Math.max(0, performance.now() - Math.min(began, start + LIMIT));
      text = (await page.locator(".problems").textContent()) ?? "";
      const isNamed = text.includes(`${placeOf(view)}:`) && view.cause.test(text);
      if (isNamed || took > LIMIT) break;
      await page.waitForTimeout(20);
    }
    const isFound = took <= LIMIT;
    if (isFound) inDev++;
    else
      missed.push(
        `dev   ${view.name}: expected ${placeOf(view)} ${view.cause}, got: ${text.slice(0, 400)}`,
      );
    say(`dev   ${isFound ? "ok " : "MISS"} ${Math.round(took)} ms ${view.name}`);
  }
  await page.close();
  await session.close();

  async function viewFrame() {
    for (const until = Date.now() + 5_000; Date.now() < until; await page.waitForTimeout(20)) {
      const frame = page.frames().findLast((one) => one.parentFrame()?.parentFrame());
      if (
        frame &&
        (await frame
          .locator("button")
          .count()
          .catch(() => 0)) > 0
      )
        return frame;
    }
    return undefined;
  }

  for (const view of views) {
    const [program, ...args] = project.command("production");
    const report = await checkServer(
      { kind: "command", program, args },
      { browser, tools: [view.name], folder: project.folder, runs: ["normal"], patience: 1_500 },
    );
    const isFound = report.findings.some(
      ({ cause, place: { source } }) =>
        source && `${source.file}:${source.line}` === placeOf(view) && view.cause.test(cause),
    );
    if (isFound) inCheck++;
    else
      missed.push(
        `check ${view.name}: expected ${placeOf(view)} ${view.cause}, got: ${report.findings
          .map(({ cause, place }) => `${cause} [${JSON.stringify(place.source)}]`)
          .join(" | ")
          .slice(0, 600)}`,
      );
    say(`check ${isFound ? "ok  " : "MISS"} ${view.name}`);
  }
} finally {
  await browser.close();
  await project.remove();
}
for (const one of missed) say(one);
const required = Math.min(REQUIRED, views.length);
say(
  `Broken views: dev names ${inDev} of ${views.length} within ${LIMIT / 1000} s, check ${inCheck} of ${views.length}.`,
);
process.exitCode = inDev >= required && inCheck >= required ? 0 : 1;
