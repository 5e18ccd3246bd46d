// A recording as a test: the page plays it back in a Chromium without a window, and what View and Host say
// to each other has to be what they said then.

import type { Frame, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import type { Terminal } from "../terminal.ts";
import { type DevSessionOptions, openDevSession } from "./dev-session.ts";
import type { Verdict } from "./page-protocol.ts";

const TIME = 120_000;
const CLICK = 15_000;

/** Plays a recording back; 0 if it is the same conversation, 1 if not. */
export async function checkReplay(options: DevSessionOptions, terminal: Terminal): Promise<number> {
  let tell: (verdict: Verdict) => void = () => {};
  const played = new Promise<Verdict>((resolve) => {
    tell = resolve;
  });
  const session = await openDevSession({
    ...options,
    onNews: (news) => {
      if (news.kind === "replayed") tell(news.verdict);
      else options.onNews(news);
    },
  });
  const browser = await launchChromium().catch(async (error) => {
    await session.close();
    throw error;
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    // Clicks are nothing that the page could do: the View is of another origin.
    await page.exposeFunction("vitrineClick", async (selector: string) => {
      const view = await viewOf(page);
      await view?.locator(selector).first().click({ timeout: CLICK });
    });
    await page.goto(`${session.url}&replay=now`);
    const late = setTimeout(
      () =>
        tell({
          same: false,
          messages: 0,
          words: `The playback was not over after ${TIME / 1000} seconds.`,
        }),
      TIME,
    );
    const verdict = await played;
    clearTimeout(late);
    options.onNews({ kind: "replayed", verdict });
    if (verdict.same) return 0;
    terminal.complain(
      "If the change is meant, record the session anew: vitrine dev <server> --record <file>.",
    );
    return 1;
  } finally {
    await browser.close();
    await session.close();
  }
}

/** The View's own frame: inside the relay's, which is inside the page. */
async function viewOf(page: Page): Promise<Frame | undefined> {
  for (const until = Date.now() + CLICK; Date.now() < until; await page.waitForTimeout(50)) {
    const view = page.frames().findLast((frame) => frame.parentFrame()?.parentFrame());
    if (view) return view;
  }
  return undefined;
}
