// A recording as a test: the page replays it in a headless Chromium, and the messages of view and
// host must be the same as recorded.

import { printableLines } from "@vitrine/protocol/printable";
import type { Frame, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import type { Terminal } from "../terminal.ts";
import { type DevSessionOptions, openDevSession } from "./dev-session.ts";
import type { Verdict } from "./page-protocol.ts";
import type { RecordedAction } from "./recording.ts";
import { describeTarget, perform } from "./replayed-actions.ts";

const TIME = 120_000;
const CLICK = 15_000;

/** Replays a recording. Returns 0 if the messages match, 1 if not. */
export async function checkReplay(options: DevSessionOptions, terminal: Terminal): Promise<number> {
  let tell: (verdict: Verdict) => void = () => {};
  const played = new Promise<Verdict>((resolve) => {
    tell = resolve;
  });
  const session = await openDevSession({
    ...options,
    onEvent: (event) => {
      if (event.kind === "replayed") tell(event.verdict);
      else options.onEvent(event);
    },
  });
  const browser = await launchChromium().catch(async (error) => {
    await session.close();
    throw error;
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const missed: string[] = [];
    await page.exposeFunction("vitrineAct", async (action: RecordedAction) => {
      const view = await viewOf(page);
      // A missing element is a difference in the messages, and reported as such, with this reason.
      await (view && perform(view, action))?.catch(({ message }: Error) => {
        const what = `${action.kind} on ${describeTarget(action.selector)}`;
        missed.push(`${what}: ${message.split("\n")[0]}`);
      });
    });
    await page.goto(`${session.url}&replay=now`);
    const late = setTimeout(
      () =>
        tell({
          same: false,
          messages: 0,
          words: `The replay did not finish within ${TIME / 1000} seconds.`,
        }),
      TIME,
    );
    const verdict = await played;
    clearTimeout(late);
    options.onEvent({ kind: "replayed", verdict });
    if (verdict.same) return 0;
    for (const line of missed.slice(0, 3))
      terminal.complain(`An action could not be repeated: ${printableLines(line)}`);
    terminal.complain(
      "If the change is intended, record the session again: vitrine dev <server> --record <file>.",
    );
    return 1;
  } finally {
    await browser.close();
    await session.close();
  }
}

/** The view's own frame: inside the relay's, which is inside the page. */
async function viewOf(page: Page): Promise<Frame | undefined> {
  for (const until = Date.now() + CLICK; Date.now() < until; await page.waitForTimeout(50)) {
    const view = page.frames().findLast((frame) => frame.parentFrame()?.parentFrame());
    if (view) return view;
  }
  return undefined;
}
