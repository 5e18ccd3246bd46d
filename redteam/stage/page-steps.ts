import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import type { LogLine } from "./host-page.ts";

/** A step on a page that may be dead or led away: waits no longer than it is worth. */
export async function within<T>(step: Promise<T>, milliseconds: number): Promise<T | undefined> {
  // Cleared, or the last of these timers would keep a finished run from ending.
  const over = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: over.signal });
  try {
    return await Promise.race([step, late]);
  } catch {
    return undefined;
  } finally {
    over.abort();
    late.catch(() => {});
    step.catch(() => {});
  }
}

/** The host page's record, or nothing when the page is no longer the host's. */
export function readLog(page: Page): Promise<LogLine[] | undefined> {
  return within(
    page.evaluate(() => window.redteam?.log),
    2000,
  );
}

/** Reads the record until it matches; returns the last one that could be read. */
export async function watchLog(
  page: Page,
  patience: number,
  enough: (log: readonly LogLine[]) => boolean,
): Promise<readonly LogLine[]> {
  const until = performance.now() + patience;
  let log: readonly LogLine[] = [];
  for (;;) {
    log = (await readLog(page)) ?? log;
    if (enough(log) || performance.now() >= until) return log;
    await sleep(60);
  }
}

/** How a view is clicked: with which button, and in its middle or its corner. */
interface ClickOptions {
  readonly button?: "left" | "middle";
  readonly corner?: boolean;
}

/** A real click in the middle of a view: trusted, with user activation. */
export async function clickView(
  page: Page,
  name: string,
  { button = "left", corner = false }: ClickOptions = {},
): Promise<void> {
  const spot = await within(page.evaluate(centreOf, name), 2000);
  if (!spot) return;
  const { x, y } = corner ? { x: spot.left + 15, y: spot.top + 15 } : spot;
  await within(page.mouse.click(x, y, { button }), 2000);
}

function centreOf(name: string) {
  const box = window.redteam?.frames[name]?.getBoundingClientRect();
  if (!box) return undefined;
  const { left, top, width, height } = box;
  return { left, top, x: left + width / 2, y: top + height / 2 };
}
