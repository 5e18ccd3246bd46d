// Installs the packed packages in examples/chat-ai-sdk, builds it with Next.js and uses it in Chromium:
// the model calls a tool, and its view fills while the model writes.

import { cp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ADDRESS, freePort, run, start, startServer } from "./server-process.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PATIENCE = 60_000;
const LEFTOVERS = /\/(?:node_modules|\.next)$/;

/** Checks the app. Returns what it took. */
export async function checkChatExample(app, { temporary, registry, browser }) {
  const cwd = join(temporary, app);
  await cp(join(ROOT, "examples", app), cwd, {
    recursive: true,
    filter: (path) => !LEFTOVERS.test(path) && !path.endsWith("/servers.ts"),
  });
  const port = await freePort();
  const origin = `http://chat.localhost:${port}`;
  const { servers, addresses } = await startServers(origin);
  const env = {
    ...process.env,
    ...addresses,
    PATH: `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`,
    npm_config_registry: registry.address,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_loglevel: "error",
    NEXT_TELEMETRY_DISABLED: "1",
  };
  const began = performance.now();
  try {
    await run(["npm", "install"], { cwd, env });
    await run(["npm", "run", "build"], { cwd, env });
    const command = ["next", "start", "-H", ADDRESS, "-p", `${port}`];
    const server = await startServer(command, { cwd, env, url: `http://${ADDRESS}:${port}/` });
    try {
      await planTrip(browser, origin);
    } catch (error) {
      throw new Error(`${error.message}\nnext printed:\n${server.output()}`);
    } finally {
      await server.stop();
    }
    return `installed, built and used in ${((performance.now() - began) / 1000).toFixed(1)} s`;
  } finally {
    process.kill(-servers.pid, "SIGTERM");
    await servers.closed;
  }
}

async function startServers(origin) {
  const program = join(ROOT, "examples/chat-ai-sdk/servers.ts");
  const flags = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
  const servers = start([process.execPath, ...flags, program, origin], {
    cwd: ROOT,
    env: process.env,
  });
  const until = Date.now() + PATIENCE;
  while (!servers.output().includes("\n")) {
    if (servers.exitCode !== undefined || Date.now() > until) {
      throw new Error(`The servers of the chat didn't start:\n${servers.output()}`);
    }
    await delay(50);
  }
  return { servers, addresses: JSON.parse(servers.output()) };
}

async function planTrip(browser, origin) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  try {
    await page.goto(origin);
    await page.locator("[data-testid=composer]").fill("Plan a trip to Oslo");
    await page.locator("[data-testid=send]").click();
    await page.getByText("Here is your plan.").waitFor();
    const until = Date.now() + PATIENCE;
    while (Date.now() < until) {
      for (const frame of page.frames()) {
        const text = await frame
          .locator("#result")
          .textContent({ timeout: 100 })
          .catch(() => "");
        if (/3 days in Oslo/.test(text ?? "")) return;
      }
      await delay(100);
    }
    throw new Error("The view of the tool doesn't show its result.");
  } finally {
    await page.close();
  }
}
