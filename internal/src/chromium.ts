// The Chromium of the tests: one list of switches for all stages.

import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright";

/** The program. */
export const CHROMIUM: string = process.env.CHROMIUM ?? "/usr/bin/chromium";

const WITHOUT = [
  // The address bar's list is a page with a process of its own in every window: half of what a new
  // context costs, and a second of processor time at each start.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  // Of two lists the browser takes the last one: what Playwright leaves out as well.
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/** Nothing of its own to say to the network, and nothing drawn that nobody looks at. */
export const CHROMIUM_SWITCHES: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${WITHOUT.join(",")}`,
];

/** How a Chromium is started. */
export interface ChromiumOptions {
  viewport: { width: number; height: number };
  /** More switches; a list of features among them replaces our list. */
  args?: readonly string[];
}

interface RunningChromium {
  /** The options it was started with. */
  readonly key: string;
  readonly context: BrowserContext;
  stop(): Promise<void>;
}

// A start costs two seconds of processor time, so test files that follow each other in one worker share a
// Chromium. Whatever else starts one wants to end with it.
const isShared = process.env.VITRINE_SHARED_CHROMIUM === "1";
let idle: RunningChromium | undefined;

/** A Chromium with a profile of its own; an incognito one would switch features off. */
export async function launchChromium(options: ChromiumOptions): Promise<{
  context: BrowserContext;
  close(): Promise<void>;
}> {
  const running = (await takeIdle(options)) ?? (await start(options));
  const { context } = running;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    if (isShared && !idle && (await tidy(context))) idle = running;
    else await running.stop();
  };
  return { context, close };
}

async function takeIdle(options: ChromiumOptions): Promise<RunningChromium | undefined> {
  const running = idle;
  idle = undefined;
  if (!running || running.key === keyOf(options)) return running;
  await running.stop();
  return undefined;
}

const keyOf = ({ viewport, args = [] }: ChromiumOptions): string =>
  JSON.stringify([viewport, args]);

/** Leaves nothing of a test file to the next one; false if that fails because Chromium has ended. */
async function tidy(context: BrowserContext): Promise<boolean> {
  try {
    const pages = context.pages();
    // Without a page Chromium would end.
    await context.newPage();
    await Promise.all(pages.map((page) => page.close()));
    await context.clearCookies();
    await context.clearPermissions();
    await context.unrouteAll();
    return true;
  } catch {
    return false;
  }
}

async function start(options: ChromiumOptions): Promise<RunningChromium> {
  const { viewport, args = [] } = options;
  const profile = await mkdtemp(join(tmpdir(), "vitrine-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    viewport,
    args: [...CHROMIUM_SWITCHES, ...args],
  });
  // Playwright ends Chromium with the process; the profile is ours.
  const removeProfile = (): void => rmSync(profile, { recursive: true, force: true });
  process.once("exit", removeProfile);
  const stop = async (): Promise<void> => {
    await context.close();
    // Processes that end later than the first may still write.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    process.off("exit", removeProfile);
  };
  return { key: keyOf(options), context, stop };
}
