// From the moment a file is saved to the moment it is seen in the dev Host, with the state that the View had:
// a server whose View is one file, then every project that `vitrine create` makes, in its own `npm run dev`.
// Exits 1 if a View's median is above 500 ms, or a state is lost. What a change of the server takes is
// printed and not bounded.
//
//   node --experimental-strip-types --no-warnings --conditions=@vitrine/source bench/cli/hot-reload.mjs
//   … --quick            6 edits of each instead of 20
//   … --only react       one of them: file, vanilla, react, vue, svelte, template-only

import { parseArgs } from "node:util";
import { createProject } from "../../packages/cli/test/e2e/created-project.ts";
import {
  boardPage,
  makeProject,
  newestView,
  openDevPage,
  openDevStage,
  sharedBrowser,
} from "../../packages/cli/test/e2e/dev-project.ts";

const LIMIT = 500;
const WARM_UP = 2;
// Where each template's View has its heading.
const HEADINGS = {
  vanilla: "views/tasks/index.html",
  react: "views/tasks/task-view.tsx",
  vue: "views/tasks/task-view.vue",
  svelte: "views/tasks/task-view.svelte",
};
const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } },
});
const EDITS = values.quick ? 6 : 20;

/** Notes when a View has taken the place of another, and been painted there. */
async function watchStage(page) {
  await page.locator(".slots").waitFor({ state: "attached" });
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
}

/** Milliseconds from `save` to the next View that is seen; `check` looks at it. */
async function timeEdit(page, save, check) {
  await page.evaluate(() => {
    window.seen = 0;
  });
  const began = Date.now();
  await save();
  await page.waitForFunction(() => window.seen > 0, undefined, { timeout: 60_000, polling: 100 });
  const took = (await page.evaluate(() => window.seen)) - began;
  await check(await newestView(page));
  // Until the old View is gone, as it is for a person, who does not type so fast.
  await page.waitForFunction(() => document.querySelectorAll(".slot").length === 1);
  return took;
}

async function repeat(count, edit) {
  const times = [];
  for (let number = 1; number <= count + WARM_UP; number++) {
    const took = await edit(number);
    if (number > WARM_UP) times.push(took);
  }
  return times.sort((a, b) => a - b);
}

function show(name, times, about) {
  const at = (share) =>
    Math.round(times[Math.min(Math.floor(times.length * share), times.length - 1)]);
  const figures = `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, least ${at(0)} ms`;
  console.log(`${name.padEnd(14)} ${figures}; ${times.length} edits ${about}`);
  return at(0.5);
}

/** A server that reads its View's file for each request, with no build between. */
async function timeFile() {
  const project = await makeProject();
  const stage = await openDevStage(["node", `${project.folder}/server.mjs`], {
    watch: [project.folder],
  });
  const { page } = stage;
  try {
    await watchStage(page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const view = await stage.view();
    await view.getByText("Hello, Plan").waitFor();
    for (let click = 0; click < 3; click++) await view.locator("#more").click();
    const times = await repeat(EDITS, async (number) => {
      const heading = `Edition ${number}`;
      const html = await boardPage(heading);
      return timeEdit(
        page,
        () => project.write("board.html", html),
        async (view) => {
          await view.locator("h1", { hasText: heading }).waitFor();
          const count = await view.locator("#count").textContent();
          if (count !== "3") throw new Error(`After edit ${number} the state is ${count}, not 3.`);
        },
      );
    });
    return show("one file", times, "of the View, state kept");
  } finally {
    await stage.close();
    await project.remove();
  }
}

/** A created project, its dev command at work and its View on stage. */
async function openCreated(template) {
  const project = await createProject(template);
  try {
    const running = await project.dev();
    const page = await openDevPage(running.url);
    const close = async () => {
      await page.close();
      await running.close();
      await project.remove();
    };
    await watchStage(page);
    await page.locator(".tools li button", { hasText: "show-tasks" }).first().click();
    await page.getByRole("button", { name: /^Run/ }).click();
    await (await newestView(page)).getByText("Make it your own").waitFor();
    return { project, running, page, close };
  } catch (error) {
    await project.remove();
    throw error;
  }
}

/** Edits of a View that Vite builds, then of the server behind it. */
async function timeTemplate(template) {
  const { project, running, page, close } = await openCreated(template);
  try {
    await (await newestView(page)).getByLabel("Open tasks only").check();
    const servers = (await project.serversStarted()).length;
    const times = await repeat(EDITS, (number) => {
      const heading = `Edition ${number}`;
      return timeEdit(
        page,
        () =>
          project.edit(HEADINGS[template], (text) =>
            text.replace(/<h1>.*<\/h1>/, `<h1>${heading}</h1>`),
          ),
        async (view) => {
          await view.locator("h1", { hasText: heading }).waitFor();
          if (!(await view.getByLabel("Open tasks only").isChecked()))
            throw new Error(`${template}: after edit ${number} the state is lost.`);
        },
      );
    });
    if ((await project.serversStarted()).length > servers)
      throw new Error(`${template}: the server restarted for an edit of the View.`);
    const median = show(template, times, "of the View, state kept, same server");
    const restarts = await repeat(Math.ceil(EDITS / 3), async (number) => {
      const from = running.said.length;
      const began = performance.now();
      await project.edit("server/task-list.ts", (text) => `${text}// ${number}\n`);
      await running.untilSaid("Server reconnected", from);
      return performance.now() - began;
    });
    show("", restarts, "of the server, until it answers");
    return median;
  } finally {
    await close();
  }
}

/** Edits a template's settings. The project has no view source, so the server restarts. */
async function timeTemplateOnly() {
  const { project, page, close } = await openCreated("template-only");
  try {
    const times = await repeat(Math.ceil(EDITS / 2), (number) => {
      const title = `Board ${number}`;
      return timeEdit(
        page,
        () =>
          project.edit("server/app.ts", (text) =>
            text.replace(/(kanban\(\{\s+title: )"[^"]*"/, `$1"${title}"`),
          ),
        (view) => view.getByText(title).first().waitFor(),
      );
    });
    show("template-only", times, "of the server, until the View is seen");
  } finally {
    await close();
  }
}

const medians = [];
try {
  const isWanted = (name) => values.only === undefined || values.only === name;
  if (isWanted("file")) medians.push(await timeFile());
  for (const template of Object.keys(HEADINGS).filter(isWanted))
    medians.push(await timeTemplate(template));
  if (isWanted("template-only")) await timeTemplateOnly();
} finally {
  await (await sharedBrowser()).close();
}
const slowest = Math.max(0, ...medians);
console.log(`limit for each View's median: ${LIMIT} ms`);
if (medians.length > 0) console.log(`hot reload p50, the slowest: ${slowest} ms`);
if (slowest > LIMIT) process.exitCode = 1;
