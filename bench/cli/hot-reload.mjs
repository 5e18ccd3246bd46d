// From the moment a View's file is written to the moment its new page is seen in the dev Host, with the
// state that the old one left. Exits 1 if the median is above 500 ms, or a state is lost.
//
//   node --experimental-strip-types --no-warnings --conditions=@vitrine/source bench/cli/hot-reload.mjs
//   … --quick    8 edits instead of 30

import {
  boardPage,
  closeBrowser,
  makeProject,
  openDevStage,
} from "../../packages/cli/test/e2e/dev-project.ts";

const LIMIT = 500;
const EDITS = process.argv.includes("--quick") ? 8 : 30;
const WARM_UP = 2;

const project = await makeProject();
const stage = await openDevStage(["node", `${project.folder}/server.mjs`], {
  watch: [project.folder],
});
const { page } = stage;

await page.locator(".slots").waitFor({ state: "attached" });

/** Notes when a View has taken the place of another, and been painted there. */
await page.evaluate(() => {
  window.seen = 0;
  new MutationObserver(() => {
    const slots = document.querySelectorAll(".slot");
    const isSettled = slots.length > 0 && ![...slots].some((slot) => slot.matches(".waiting"));
    if (!isSettled) return;
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.seen = performance.timeOrigin + performance.now();
      }),
    );
  }).observe(document.querySelector(".slots"), {
    subtree: true,
    childList: true,
    attributes: true,
  });
});

async function edit(number) {
  const heading = `Edition ${number}`;
  const html = await boardPage(heading);
  const began = Date.now();
  await page.evaluate(() => {
    window.seen = 0;
  });
  await project.write("board.html", html);
  await page.waitForFunction(() => window.seen > 0, undefined, { timeout: 20_000, polling: 20 });
  const took = (await page.evaluate(() => window.seen)) - began;
  const view = await stage.view();
  await view.locator("h1", { hasText: heading }).waitFor();
  const count = await view.locator("#count").textContent();
  if (count !== "3") throw new Error(`After edit ${number} the state is ${count}, and not 3.`);
  // Until the old View is gone, as it is for a person, who does not type so fast.
  await page.waitForFunction(() => document.querySelectorAll(".slot").length === 1);
  return took;
}

const times = [];
try {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const view = await stage.view();
  await view.getByText("Hello, Plan").waitFor();
  for (let click = 0; click < 3; click++) await view.locator("#more").click();
  // A Host writes a View's state down a moment after it was set; nobody edits a file within that.
  await page.waitForTimeout(500);
  for (let number = 1; number <= EDITS + WARM_UP; number++) {
    const took = await edit(number);
    if (number > WARM_UP) times.push(took);
  }
} finally {
  await stage.close();
  await closeBrowser();
  await project.remove();
}

times.sort((a, b) => a - b);
const at = (share) =>
  Math.round(times[Math.min(Math.floor(times.length * share), times.length - 1)]);
console.log(`hot reload: ${times.length} edits, state kept in all of them`);
console.log(
  `least ${at(0)} ms, p90 ${at(0.9)} ms, most ${at(1)} ms; limit for the median ${LIMIT} ms`,
);
console.log(`hot reload p50: ${at(0.5)} ms`);
if (at(0.5) > LIMIT) process.exitCode = 1;
