// The Chromium of the tests: one list of switches for all stages.

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
  /** More switches; a list of features among them takes the place of ours. */
  args?: readonly string[];
}

/** A Chromium with a profile of its own; an incognito one would switch features off. */
export async function launchChromium({ viewport, args = [] }: ChromiumOptions): Promise<{
  context: BrowserContext;
  close(): Promise<void>;
}> {
  const profile = await mkdtemp(join(tmpdir(), "vitrine-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    viewport,
    args: [...CHROMIUM_SWITCHES, ...args],
  });
  const close = async (): Promise<void> => {
    await context.close();
    // Processes that end later than the first may still write.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  return { context, close };
}
