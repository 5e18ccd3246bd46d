// Installs the packed packages in the apps of examples/ssr (Next.js, Nuxt, SvelteKit) and in
// examples/chat-ai-sdk and builds each app. Checks in Chromium that it renders on its server and hydrates
// without a warning: as built for production, and on its development server, which reports more. The chat
// is used as built. The server half of a host runs in the runtime of Workers. `--only next` checks one app, `--built` packs what is in each dist already.

import { once } from "node:events";
import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { build } from "./build.mjs";
import { checkChatExample } from "./chat-example.mjs";
import { checkPage, checkServerHtml } from "./chat-page.mjs";
import { openRegistry, packPackage } from "./packed-registry.mjs";
import { ADDRESS, endAll, freePort, run, startServer } from "./server-process.mjs";
import { checkWorkers } from "./workers-example.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = ["protocol", "view", "host", "chat"];
/** Those that need more, or less, than a page. */
const OTHERS = { "chat-ai-sdk": checkChatExample, workers: checkWorkers };
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
  const known = [...Object.keys(APPS), ...Object.keys(OTHERS)];
  const apps = values.only ? [values.only] : known;
  if (!apps.every((app) => known.includes(app))) {
    throw new Error(`--only accepts ${known.join(", ")}, not "${values.only}".`);
  }
  if (!values.built) await build();
  const temporary = await mkdtemp(join(tmpdir(), "vitrine-frameworks-"));
  process.on("exit", () => {
    endAll();
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
        const check = OTHERS[app] ?? checkApp;
        console.log(`${app}: ${await check(app, { temporary, registry, browser })}`);
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
    `frameworks: ${passed} of ${apps.length} work from packed packages without a warning`,
  );
  if (passed < apps.length) process.exitCode = 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
await main();
