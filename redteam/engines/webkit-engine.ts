import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../lab/attacker-server.ts";
import { within } from "../stage/page-steps.ts";
import { type BrowserProcess, startProcess } from "./browser-process.ts";
import { type Engine, type EnginePage, frameOf, shownText } from "./engine.ts";
import { type ElementReference, WebDriverSession } from "./webdriver-session.ts";
import { XScreen } from "./x-screen.ts";

const MINI_BROWSERS = ["webkit2gtk-4.1", "webkit2gtk-4.0", "webkitgtk-6.0"].map(
  (version) => `/usr/lib/x86_64-linux-gnu/${version}/MiniBrowser`,
);

/** WebKitGTK's own small browser on a screen that nobody sees: it has no headless mode. */
export async function startWebKitEngine(): Promise<Engine> {
  const binary = process.env.MINIBROWSER ?? MINI_BROWSERS.find((path) => existsSync(path));
  if (!binary) throw new Error("There is no MiniBrowser; Debian has it in webkit2gtk-driver.");
  const processes: Pick<BrowserProcess, "end">[] = [];
  const close = async () => {
    for (const one of processes.reverse()) await one.end();
  };
  try {
    const screen = await XScreen.open();
    processes.push({ end: () => screen.close() });
    const port = await freePort();
    const env = { ...process.env, DISPLAY: screen.display, NO_AT_BRIDGE: "1", LC_ALL: "C.UTF-8" };
    processes.push(startProcess("WebKitWebDriver", [`--port=${port}`], { stdio: "ignore", env }));
    const driver = `http://127.0.0.1:${port}`;
    await untilAwake(driver);
    const session = await WebDriverSession.open(driver, {
      acceptInsecureCerts: true,
      // A hostile frame that never finishes must not hold up the whole run.
      pageLoadStrategy: "none",
      "webkitgtk:browserOptions": { binary, args: ["--automation"] },
    });
    return {
      name: "webkit",
      crashes: [],
      version: session.version,
      open: (url) => openPage(session, url),
      async close() {
        await within(session.end(), 5000);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The session has one window, which every page uses in turn. */
async function openPage(session: WebDriverSession, url: string): Promise<EnginePage> {
  const [own = ""] = await session.windows();
  await session.go(url);
  await untilAt(session, url);
  return {
    async evaluate(step, argument) {
      // As text: the driver would sort the keys of objects.
      const script = `return JSON.stringify((${step.toString()})(...arguments)) ?? null`;
      const text = (await session.execute(script, [argument])) as string | null;
      return text === null ? undefined : JSON.parse(text);
    },
    mouse: { click: (x, y) => session.click(x, y) },
    hand: {
      move: (x, y) => session.move(x, y),
      press: (modifier) => session.press(modifier),
      key: (character) => session.key(character),
    },
    async textIn(view) {
      const script = `return (${frameOf.toString()})(...arguments)`;
      await session.enter((await session.execute(script, [view])) as ElementReference);
      try {
        return String(await session.execute(`return (${shownText.toString()})()`, []));
      } finally {
        await session.enter(null);
      }
    },
    // WebDriver has no command for them.
    console: [],
    async close() {
      for (const handle of (await within(session.windows(), 3000)) ?? []) {
        if (handle === own) continue;
        await within(session.focus(handle), 2000);
        await within(session.closeWindow(), 2000);
      }
      await within(session.focus(own), 2000);
      await within(session.go("about:blank"), 5000);
    },
  };
}

/** Without waiting for a load, the script of a step could still run in the page before. */
async function untilAt(session: WebDriverSession, url: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const state = await within(
      session.execute("return [location.href, document.readyState]", []) as Promise<string[]>,
      2000,
    );
    if (state?.[0] === url && state[1] !== "loading") return;
    await sleep(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilAwake(driver: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const answer = await within(fetch(`${driver}/status`), 1000);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error("WebKitWebDriver does not answer.");
}
