import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromiumOptions } from "@vitrine/conformance/reading";
import type { Browser } from "playwright-core";
import { Failure } from "../failure.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge"];
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** The Chromium, Chrome or Edge of this machine; the variable `CHROMIUM` names another. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment.CHROMIUM;
  if (named) {
    if (existsSync(named)) return named;
    throw new Failure(
      "no-browser",
      `CHROMIUM is "${named}", but that program doesn't exist. Correct or unset the variable.`,
    );
  }
  const folders = (environment.PATH ?? "").split(delimiter).filter(Boolean);
  const found = [
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...PLACES,
  ];
  const program = found.find((path) => existsSync(path));
  if (program) return program;
  throw new Failure(
    "no-browser",
    "No Chromium, Chrome or Edge found to show the view in. Install one, or set CHROMIUM to its path. To check without a browser, pass --no-render.",
  );
}

// Playwright leaves these out as well.
const UNWANTED = ["ThirdPartyStoragePartitioning"];

/** Starts it headless and without network traffic of its own. */
export async function launchChromium(program: string = findChromium()): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  try {
    return await chromium.launch({ executablePath: program, ...chromiumOptions(UNWANTED) });
  } catch (cause) {
    // Playwright's own message names an option that users don't have.
    if (!/sandbox/i.test(String(cause))) throw cause;
    throw new Failure(
      "no-browser",
      `${program} could not start its sandbox, which is required to open third-party views. Allow user namespaces for it, or, in a container made for this, set VITRINE_NO_SANDBOX=1.`,
      { cause },
    );
  }
}
