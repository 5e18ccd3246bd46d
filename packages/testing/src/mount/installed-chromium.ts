// The browser for tests without a page of their own: the one that is installed, because a download of
// hundreds of megabytes isn't for a test to start.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";
import { MountError } from "./mount-error.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** The Chromium, Chrome or Edge of this machine, if there is one. */
export function installedChromium(
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const folders = (environment.PATH ?? "").split(delimiter).filter(Boolean);
  const found = [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...PLACES,
  ];
  return found.find((path) => existsSync(path));
}

/** Starts Chromium without a window: `CHROMIUM`, Playwright's own, or the installed one. */
export async function launchTestBrowser(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const own = chromium.executablePath();
  const program = environment.CHROMIUM ?? (existsSync(own) ? own : installedChromium(environment));
  if (program === undefined)
    throw new MountError(
      "no-browser",
      "No Chromium, Chrome or Edge found to mount views in. Run `npx playwright install chromium`, or set CHROMIUM to the path of one.",
    );
  // As root, as in many containers, Chromium can't start its sandbox.
  const chromiumSandbox = process.getuid?.() !== 0 && environment.VITRINE_NO_SANDBOX !== "1";
  return chromium.launch({ executablePath: program, chromiumSandbox, args: ["--disable-gpu"] });
}
