// Installs the packed packages in the apps of examples/ssr (Next.js, Nuxt, SvelteKit), builds each app,
// and checks in Chromium that it renders on its server and hydrates without a warning: as built for
// production, and on its development server, which reports more. `--only next` checks one app, `--built`
// packs what is in each dist already.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { chromium } from "playwright";
import { build } from "./build.mjs";
import { checkPage, checkServerHtml } from "./chat-page.mjs";
import { openRegistry, packPackage } from "./packed-registry.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = ["protocol", "view", "host"];
const ADDRESS = "127.0.0.1";
/** Folders that a developer's own run leaves in an app. */
const LEFTOVERS = /\/(?:node_modules|build|\.next|\.nuxt|\.output|\.svelte-kit)$/;

/** A line of a server's output that a developer should see. */
const COMPLAINT = /^.*(?:warn|error:|hydrat|[⚠⨯]).*$/im;

/** How each app gets the sandbox's address, and the commands of its two servers. */
const APPS = {
  next: {
    variable: "NEXT_PUBLIC_SANDBOX",
    production: (port) => ["next", "start", "-H", ADDRESS, "-p", port],
    development: (port) => ["next", "dev", "-H", ADDRESS, "-p", port],
  },
  nuxt: {
    variable: "VITE_SANDBOX",
    production: () => ["node", ".output/server/index.mjs"],
    development: (port) => ["nuxt", "dev", "--host", ADDRESS, "--port", port, "--no-fork"],
  },
  sveltekit: {
    variable: "VITE_SANDBOX",
    production: () => ["node", "build"],
    development: (port) => ["vite", "dev", "--host", ADDRESS, "--port", port],
  },
};

const seconds = (since) => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
/** Ids of the process groups that are running. */
const groups = new Set();

function endGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Starts a command in a process group, because npm and the frameworks start more processes. */
function start([command, ...args], { cwd, env }) {
  const child = spawn(command, args, { cwd, env, detached: true });
  const { pid } = child;
  if (pid) groups.add(pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += stripVTControlCharacters(String(chunk));
    });
  }
  const started = {
    pid,
    output: () => output,
    exitCode: undefined,
    closed: once(child, "close").then(([code]) => {
      started.exitCode = code ?? 1;
      // The first process may end before the rest of its group.
      endGroup(pid, "SIGKILL");
      groups.delete(pid);
    }),
  };
  return started;
}

/** Runs a command to its end and returns its output. */
async function run(command, options) {
  const started = start(command, options);
  await started.closed;
  if (started.exitCode === 0) return started.output();
  throw new Error(`${command.join(" ")} failed:\n${started.output()}`);
}

/** Starts a server and waits until it responds. */
async function startServer(command, { url, ...options }) {
  const server = start(command, options);
  const stop = async () => {
    const patience = setTimeout(() => endGroup(server.pid, "SIGKILL"), 5_000);
    endGroup(server.pid, "SIGTERM");
    await server.closed;
    clearTimeout(patience);
  };
  const until = Date.now() + 120_000;
  while (server.exitCode === undefined && Date.now() < until) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return { ...server, stop };
    await delay(100);
  }
  await stop();
  throw new Error(`${command.join(" ")} doesn't serve ${url}:\n${server.output()}`);
}

/** A port that nothing listens on. Not every framework can choose one itself. */
async function freePort() {
  const server = createServer().listen(0, ADDRESS);
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Serves one of the two forms of an app, and checks its page. */
async function checkServer(app, mode, { cwd, env, sandbox, browser }) {
  const port = await freePort();
  const path = "/chat/chat-7";
  const origin = `http://chat.localhost:${port}`;
  sandbox.accept(origin);
  const own = { PORT: `${port}`, HOST: ADDRESS, ORIGIN: origin };
  // Not every system resolves names below localhost; browsers do.
  const url = `http://${ADDRESS}:${port}${path}`;
  const command = APPS[app][mode](`${port}`);
  const server = await startServer(command, { cwd, env: { ...env, ...own }, url });
  try {
    checkServerHtml(await (await fetch(url)).text(), { hasElement: app !== "sveltekit" });
    await checkPage(browser, origin + path);
    const [complaint] = COMPLAINT.exec(server.output()) ?? [];
    if (complaint) throw new Error(`The server printed a warning: ${complaint}`);
  } catch (error) {
    throw new Error(`${mode}: ${error.message}\n${command[0]} printed:\n${server.output()}`);
  } finally {
    await server.stop();
  }
}

/** A sandbox whose address is known before the apps that it accepts. */
async function openSandbox() {
  // Not before the build, which writes it.
  const { createSandbox } = await import("@vitrine/sandbox");
  const { createNodeListener } = await import("@vitrine/sandbox/node");
  const server = createServer().listen(0, ADDRESS);
  await once(server, "listening");
  const { port } = server.address();
  let sandbox;
  return {
    entrance: `http://proxy.localhost:${port}/`,
    accept: (origin) => {
      sandbox?.close();
      const key = "a key of this check, of at least 32 bytes";
      sandbox = createSandbox({ origins: { tier: "localhost", port, hosts: [origin], key } });
      server.removeAllListeners("request").on("request", createNodeListener(sandbox));
    },
    close: () => {
      sandbox?.close();
      server.close().closeAllConnections();
    },
  };
}

/** One app from nothing to a page that works. */
async function checkApp(app, { temporary, registry, browser }) {
  const cwd = join(temporary, app);
  const isSource = (path) => !LEFTOVERS.test(path);
  await cp(join(ROOT, "examples/ssr", app), cwd, { recursive: true, filter: isSource });
  const sandbox = await openSandbox();
  const env = {
    ...process.env,
    PATH: `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`,
    npm_config_registry: registry.address,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_loglevel: "error",
    NEXT_TELEMETRY_DISABLED: "1",
    NUXT_TELEMETRY_DISABLED: "1",
    [APPS[app].variable]: sandbox.entrance,
  };
  try {
    let began = performance.now();
    await run(["npm", "install"], { cwd, env });
    const times = [`installed in ${seconds(began)}`];
    began = performance.now();
    const output = await run(["npm", "run", "build"], { cwd, env });
    times.push(`built in ${seconds(began)}`);
    // Bundlers name a package only to complain about it.
    if (/@vitrine\/|\[vite-plugin-svelte\]/.test(output)) {
      throw new Error(`The build printed a warning:\n${output}`);
    }
    for (const mode of ["production", "development"]) {
      began = performance.now();
      await checkServer(app, mode, { cwd, env, sandbox, browser });
      times.push(`${mode} in ${seconds(began)}`);
    }
    return times.join(", ");
  } finally {
    sandbox.close();
  }
}

async function main() {
  const { values } = parseArgs({
    options: { built: { type: "boolean", default: false }, only: { type: "string" } },
  });
  const apps = values.only ? [values.only] : Object.keys(APPS);
  if (!apps.every((app) => Object.hasOwn(APPS, app))) {
    throw new Error(`--only accepts ${Object.keys(APPS).join(", ")}, not "${values.only}".`);
  }
  if (!values.built) await build();
  const temporary = await mkdtemp(join(tmpdir(), "vitrine-frameworks-"));
  process.on("exit", () => {
    for (const pid of groups) endGroup(pid, "SIGKILL");
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  });
  const packed = [];
  for (const name of PACKAGES) {
    packed.push(await packPackage(join(ROOT, "packages", name), temporary));
  }
  const registry = await openRegistry(packed);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  });
  let passed = 0;
  try {
    for (const app of apps) {
      try {
        console.log(`${app}: ${await checkApp(app, { temporary, registry, browser })}`);
        passed++;
      } catch (error) {
        console.error(`${app}: ${error.message}`);
      }
    }
  } finally {
    await browser.close();
    registry.close();
  }
  console.log(
    `frameworks: ${passed} of ${apps.length} render on a server and hydrate without a warning`,
  );
  if (passed < apps.length) process.exitCode = 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await main();
