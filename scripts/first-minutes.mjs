// The first steps of a new user: `npx vitrine create`, then the command it prints, and a View is on screen:
// the browser opens and the tool runs without a click, and nothing is to be copied. On what would be
// published, in clean folders, each template; then its own build and check.
// `--quick` takes one template, `--only name` another one, `--built` what is in each dist already.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs, promisify, stripVTControlCharacters } from "node:util";
import { chromium } from "playwright";
import { build, listPackages } from "./build.mjs";
import { seeChat } from "./first-chat.mjs";
import { openRegistry, packPackage } from "./packed-registry.mjs";

const LIMITS = { megabytes: 80, packages: 60, commands: 2, seconds: 60 };
const TEMPLATES = ["vanilla", "react", "vue", "svelte", "template-only"];
const VIEW_SAYS = "Make it your own";
// Where each template's View has its heading, and where it calls its tools.
const SOURCES = {
  vanilla: { heading: "views/tasks/index.html", program: "views/tasks/main.ts" },
  react: { heading: "views/tasks/task-view.tsx", program: "views/tasks/task-view.tsx" },
  vue: { heading: "views/tasks/task-view.vue", program: "views/tasks/task-view.vue" },
  svelte: { heading: "views/tasks/task-view.svelte", program: "views/tasks/task-view.svelte" },
};

const seconds = (since) => (performance.now() - since) / 1_000;

/** Types a command; a failure carries everything it printed. */
async function type(line, { cwd, env }) {
  const [command, ...args] = line.split(" ");
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env });
    return stdout + stderr;
  } catch ({ stdout, stderr, message }) {
    throw new Error(`${line}, in ${cwd}\n${stdout}${stderr || message}`);
  }
}

/** What an install weighs, and how many packages it is. */
async function weigh(folder) {
  let bytes = 0;
  let packages = 0;
  const entries = await readdir(join(folder, "node_modules"), {
    recursive: true,
    withFileTypes: true,
  });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // As `du` counts: what it takes on disk.
    bytes += (await lstat(path)).blocks * 512;
    const isPackage = /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path);
    if (isPackage) packages++;
  }
  return { megabytes: Math.round(bytes / 1e6), packages };
}

/** A folder with an `xdg-open` that only notes which address it was to open. */
async function watchBrowser(folder) {
  await mkdir(folder, { recursive: true });
  const opened = join(folder, "opened");
  const program = join(folder, "xdg-open");
  await writeFile(program, `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`);
  await chmod(program, 0o755);
  return opened;
}

/** Reads the address as soon as the browser was asked to open it. */
async function untilOpened(file) {
  for (const until = Date.now() + 120_000; Date.now() < until; await wait(20)) {
    const url = await readFile(file, "utf8").catch(() => "");
    if (url !== "") return url;
  }
  throw new Error("The browser wasn't opened.");
}

/** Types the command that `vitrine create` printed until its View is on screen, changes the View, and ends it. */
async function seeView(line, { folder, template, env, browser }) {
  const bin = join(folder, "..", `${template}-browser`);
  const opened = await watchBrowser(bin);
  const began = performance.now();
  // `script` gives it a terminal, as a user has. In a group of its own, because npm, a shell, Vite and
  // two more processes are to be ended.
  const dev = spawn("script", ["-qefc", line, "/dev/null"], {
    cwd: join(folder, ".."),
    env: { ...env, CI: "", BROWSER: "", PATH: `${bin}:${env.PATH}` },
    detached: true,
  });
  let said = "";
  const ended = new Promise((_, reject) => {
    for (const stream of [dev.stdout, dev.stderr]) {
      stream.on("data", (chunk) => {
        said += stripVTControlCharacters(String(chunk));
      });
    }
    dev.on("close", () => reject(new Error(`${line} ended:\n${said}`)));
  });
  ended.catch(() => {});
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await page.goto(await Promise.race([untilOpened(opened), ended]));
    await untilShown(page, VIEW_SAYS);
    const shown = seconds(began);
    return { shown, edited: await editView(folder, template, page) };
  } catch (error) {
    throw new Error(`${template}: ${error.message}\n${line} said:\n${said}`);
  } finally {
    await page.close();
    if (dev.exitCode === null) {
      const closed = once(dev, "close");
      process.kill(-dev.pid, "SIGINT");
      const patience = setTimeout(() => process.kill(-dev.pid, "SIGKILL"), 10_000);
      await closed.finally(() => clearTimeout(patience));
    }
  }
}

/** Seconds from saving the View's source to seeing it; nothing where there is no source. */
async function editView(folder, template, page) {
  if (!SOURCES[template]) return undefined;
  const file = join(folder, SOURCES[template].heading);
  const source = await readFile(file, "utf8");
  const began = performance.now();
  await writeFile(file, source.replace(">Tasks</h1>", ">Things to do</h1>"));
  await untilShown(page, "Things to do");
  const took = seconds(began);
  await writeFile(file, source);
  return took;
}

/** A View that calls a tool which its server does not have must not build. */
async function tryMistake(folder, template, env) {
  if (!SOURCES[template]) return;
  const file = join(folder, SOURCES[template].program);
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace('"set-done"', '"set-dome"'));
  const said = await type("npm run build", { cwd: folder, env }).then(() => "", String);
  if (!said.includes("set-dome")) throw new Error(`${template}: a wrong tool name builds.${said}`);
  await writeFile(file, source);
}

/** Looks into every frame until one shows the text. */
async function untilShown(page, text) {
  for (const until = Date.now() + 120_000; Date.now() < until; await page.waitForTimeout(20)) {
    for (const frame of page.frames().filter((each) => each !== page.mainFrame())) {
      const count = await frame
        .getByText(text)
        .count()
        .catch(() => 0);
      if (count > 0) return;
    }
  }
  throw new Error(`No View shows "${text}".`);
}

/** One template from nothing to a checked app. */
async function tryTemplate(template, { vitrine, apps, env, browser, ownSeconds }) {
  const name = `app-${template}`;
  const folder = join(apps, name);
  const began = performance.now();
  const said = await type(`${vitrine} create ${name} --template ${template}`, { cwd: apps, env });
  const createdIn = seconds(began);
  const next = said.split("Next:\n")[1]?.trim().split("\n") ?? [];
  // The printed command is the one that is typed below.
  if (next.length !== 1)
    throw new Error(`${template}: ${next.length} commands follow: ${next.join(", ")}`);
  const { shown, edited } = await seeView(next[0].trim(), { folder, template, env, browser });
  const figures = {
    template,
    commands: 1 + next.length,
    createdIn,
    seconds: ownSeconds + shown,
    edited,
    ...(await weigh(folder)),
  };
  await tryMistake(folder, template, env);
  await type("npm run build", { cwd: folder, env });
  await type("npm run check", { cwd: folder, env });
  await type("npm test", { cwd: folder, env });
  return figures;
}

/** `vitrine` alone in a clean folder, and how long it takes to write a project. */
async function tryAlone(home, env) {
  await mkdir(home);
  await writeFile(join(home, "package.json"), '{ "private": true }');
  await type("npm install vitrine", { cwd: home, env });
  const weight = await weigh(home);
  const began = performance.now();
  await type("npx vitrine create unused --yes --no-install", { cwd: home, env });
  const ownSeconds = seconds(began);
  const gateway = await type("npx vitrine gateway start", { cwd: home, env }).catch(String);
  if (!gateway.includes("npm install @vitrine/gateway")) {
    throw new Error(`Without the gateway's package, \`vitrine gateway\` said:\n${gateway}`);
  }
  return { ...weight, ownSeconds };
}

function report({ alone, tried, chat }) {
  const tenth = (value) => `${value.toFixed(1)} s`;
  const rows = tried.map((each) => {
    const figures = [
      `${each.commands} commands and ${tenth(each.seconds)} to a View`,
      ...(each.edited === undefined ? [] : [`${tenth(each.edited)} from an edit to the screen`]),
      `${each.megabytes} MB in ${each.packages} packages`,
      `installed in ${tenth(each.createdIn)}`,
    ];
    return `${each.template.padEnd(13)} ${figures.join(", ")}`;
  });
  console.log(rows.join("\n"));
  console.log(`vitrine chat  ${chat.commands} command and ${tenth(chat.seconds)} to a View`);
  console.log(`vitrine alone ${alone.megabytes} MB in ${alone.packages} packages`);
  const short = [
    ...["megabytes", "packages"]
      .filter((figure) => alone[figure] > LIMITS[figure])
      .map((figure) => `vitrine alone: ${alone[figure]} ${figure}, more than ${LIMITS[figure]}`),
    ...[...tried, { template: "chat", ...chat }].flatMap((each) =>
      ["commands", "seconds"]
        .filter((figure) => each[figure] > LIMITS[figure])
        .map(
          (figure) => `${each.template}: ${each[figure]} ${figure}, more than ${LIMITS[figure]}`,
        ),
    ),
  ];
  for (const line of short) console.error(line);
  if (short.length > 0) process.exitCode = 1;
  else console.log("first minutes: within every limit");
}

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      built: { type: "boolean", default: false },
      only: { type: "string" },
    },
  });
  if (!values.built) await build();
  const temporary = await mkdtemp(join(tmpdir(), "vitrine-first-minutes-"));
  const packed = [];
  for (const folder of await listPackages()) packed.push(await packPackage(folder, temporary));
  const registry = await openRegistry(packed);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
  const env = {
    ...process.env,
    npm_config_registry: registry.address,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_loglevel: "error",
    NO_COLOR: "1",
  };
  try {
    const home = join(temporary, "home");
    const alone = await tryAlone(home, env);
    // What `npx vitrine` runs. Not above the projects, which would find its packages and miss none.
    const vitrine = join(home, "node_modules/.bin/vitrine");
    const apps = join(temporary, "apps");
    await mkdir(apps);
    const names = values.only ? [values.only] : values.quick ? TEMPLATES.slice(0, 1) : TEMPLATES;
    const tried = [];
    for (const name of names) {
      const { ownSeconds } = alone;
      tried.push(await tryTemplate(name, { vitrine, apps, env, browser, ownSeconds }));
      console.log(`${name}: created, shown, built, checked`);
    }
    const folder = join(apps, `app-${names[0]}`);
    const chat = await seeChat(folder, { vitrine, env, browser, untilShown, text: VIEW_SAYS });
    report({ alone, tried, chat });
  } finally {
    await browser.close();
    registry.close();
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

await main();
