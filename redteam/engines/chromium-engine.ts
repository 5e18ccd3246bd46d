import type { Page } from "playwright";
import { type Certificate, keyHash } from "../lab/certificate.ts";
import { startChromium } from "../lab/chromium.ts";
import { crashProof, type Evaluate } from "../lab/crash-proof-page.ts";
import { within } from "../stage/page-steps.ts";
import { type Engine, type EnginePage, frameOf, shownText } from "./engine.ts";

/** The browser of the main suite behind the small interface, so that its column is comparable. */
export async function startChromiumEngine(certificate: Certificate): Promise<Engine> {
  const trust = `--ignore-certificate-errors-spki-list=${keyHash(certificate)}`;
  const { context, version, crashes, close } = await startChromium([trust]);
  return {
    name: "chromium",
    version,
    crashes,
    async open(url) {
      const page = await context.newPage();
      const evaluate = await crashProof(page);
      await within(page.goto(url, { waitUntil: "domcontentloaded" }), 15_000);
      return wrap(page, evaluate);
    },
    close,
  };
}

function wrap(page: Page, evaluate: Evaluate): EnginePage {
  const lines: string[] = [];
  const popups: Page[] = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(String(error)));
  page.on("popup", (popup) => popups.push(popup));
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
  return {
    evaluate,
    mouse: page.mouse,
    hand: {
      move: (x, y) => page.mouse.move(x, y),
      async press(modifier) {
        if (modifier) await page.keyboard.down(modifier);
        await page.mouse.down();
        await page.mouse.up();
        if (modifier) await page.keyboard.up(modifier);
      },
      key: (character) => page.keyboard.press(character),
    },
    async textIn(view) {
      const element = (await page.evaluateHandle(frameOf, view)).asElement();
      const frame = await element?.contentFrame();
      return (await frame?.evaluate(shownText)) ?? "";
    },
    console: lines,
    async close() {
      for (const popup of popups) await within(popup.close(), 2000);
      await within(page.close(), 3000);
    },
  };
}
