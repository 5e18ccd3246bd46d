import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, connect, type ElementHandle, type Frame, type Page } from "puppeteer-core";
import { within } from "../stage/page-steps.ts";
import { startProcess } from "./browser-process.ts";
import { type Engine, type EnginePage, frameOf, type Hand, shownText } from "./engine.ts";
import type { XScreen } from "./x-screen.ts";

const PREFERENCES: Record<string, string | number | boolean> = {
  // What the driver recommends turns off speculative connections: a false "blocked".
  "remote.prefs.recommended": false,
  // Look-ups go to the system's resolver, which is where ours listens.
  "network.trr.mode": 5,
  // Peer connections keep off loopback otherwise, and the attacker is nowhere else.
  "media.peerconnection.ice.loopback": true,
  // The control must be able to open windows without a click.
  "dom.disable_open_during_load": false,
  // Silence of the browser itself.
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};

/**
 * Started here and then passed to puppeteer, whose own profile disables features that we attack.
 * Only on a screen does it get input as a user's comes.
 */
export async function startFirefoxEngine(screen?: XScreen): Promise<Engine> {
  const profile = mkdtempSync(join(tmpdir(), "vitrine-firefox-"));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, "user.js"), lines.join("\n"));
  const firefox = startProcess(
    process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    [
      ...(screen ? [] : ["--headless"]),
      ...["--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
      ...["--width", "1200", "--height", "900", "about:blank"],
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, HOME: profile, ...(screen && { DISPLAY: screen.display }) },
    },
  );
  const close = async () => {
    await firefox.end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    const address = await firefox.says(/BiDi listening on (ws:\S+)/, "stderr");
    const browser = await connect({
      browserWSEndpoint: `${address}/session`,
      protocol: "webDriverBiDi",
      acceptInsecureCerts: true,
      defaultViewport: null,
    });
    const [keeper] = await browser.pages();
    return {
      name: "firefox",
      crashes: [],
      version: (await browser.version()).replace("firefox/", ""),
      async open(url) {
        const page = await browser.newPage();
        const wrapped = wrap(browser, page, keeper, screen);
        await within(page.goto(url, { waitUntil: "domcontentloaded" }), 15_000);
        return wrapped;
      },
      async close() {
        await within(browser.disconnect(), 2000);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function wrap(
  browser: Browser,
  page: Page,
  keeper: Page | undefined,
  screen: XScreen | undefined,
): EnginePage {
  const lines: string[] = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(String(error)));
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
  return {
    evaluate: (step, argument) => page.evaluate(step as never, argument as never),
    mouse: { click: (x, y) => clickAt(page, x, y) },
    hand: screen && handOf(page, screen),
    async textIn(view) {
      const frame = await contentOf(await page.evaluateHandle(frameOf, view));
      return (await frame?.evaluate(shownText)) ?? "";
    },
    console: lines,
    async close() {
      // Windows that an attack opened go with their page; without any window Firefox would quit.
      for (const open of (await within(browser.pages(), 3000)) ?? [page]) {
        if (open !== keeper) await within(open.close(), 3000);
      }
    },
  };
}

function handOf(page: Page, screen: XScreen): Hand {
  return {
    async move(x, y) {
      const [left, top] = await page.evaluate(innerCorner);
      await screen.move(left + x, top + y);
    },
    press: (modifier) => screen.press(modifier),
    key: (character) => screen.key(character),
  };
}

/** Where the document begins on the screen. */
function innerCorner(): [number, number] {
  const { mozInnerScreenX, mozInnerScreenY } = window as unknown as Record<string, number>;
  return [mozInnerScreenX ?? 0, mozInnerScreenY ?? 0];
}

async function contentOf(handle: { asElement(): unknown }): Promise<Frame | undefined> {
  const element = handle.asElement() as ElementHandle<HTMLIFrameElement> | null;
  return (await element?.contentFrame()) ?? undefined;
}

/** Members of puppeteer's frames that aren't public. */
interface Context {
  browsingContext: { performActions(actions: object[]): Promise<void> };
}

/**
 * Firefox gives a click to the document that the command names and not to the frame below the
 * pointer, when that is of another site. So the view's is looked up and named.
 */
async function clickAt(page: Page, x: number, y: number): Promise<void> {
  const view = await page.evaluate(viewAt, x, y);
  const proxy = view && (await contentOf(await page.evaluateHandle(frameOf, view.name)));
  const frame = (proxy && (proxy.childFrames()[0] ?? proxy)) ?? page.mainFrame();
  const actions = [
    {
      type: "pointerMove",
      x: Math.round(x - (view?.left ?? 0)),
      y: Math.round(y - (view?.top ?? 0)),
    },
    { type: "pointerDown", button: 0 },
    { type: "pointerUp", button: 0 },
  ];
  const { browsingContext } = frame as unknown as Context;
  await browsingContext.performActions([{ type: "pointer", id: "mouse", actions }]);
}

/** The view under a point of the host page, and its corner. */
function viewAt(x: number, y: number): { name: string; left: number; top: number } | undefined {
  for (const [name, frame] of Object.entries(window.redteam?.frames ?? {})) {
    const { left, right, top, bottom } = frame.getBoundingClientRect();
    if (left <= x && x < right && top <= y && y < bottom) return { name, left, top };
  }
  return undefined;
}
