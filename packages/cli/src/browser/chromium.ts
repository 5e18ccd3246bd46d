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

/** The Chromium, Chrome or Edge of this machine; `CHROMIUM` names another. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment.CHROMIUM;
  if (named) {
    if (existsSync(named)) return named;
    throw new Failure("no-browser", `CHROMIUM is "${named}", and there is no such program.`);
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
    "No Chromium, Chrome or Edge was found to show the View in. Install one, or set CHROMIUM to its program. `--no-render` checks without one.",
  );
}

// What Playwright leaves out as well.
const UNWANTED = ["ThirdPartyStoragePartitioning"];

/** Starts it without a window and with nothing of its own to say to the network. */
export async function launchChromium(program: string = findChromium()): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  try {
    return await chromium.launch({ executablePath: program, ...chromiumOptions(UNWANTED) });
  } catch (cause) {
    // Playwright's words name an option of its own.
    if (!/sandbox/i.test(String(cause))) throw cause;
    throw new Failure(
      "no-browser",
      `${program} could not start its own sandbox, without which no stranger's View is opened. Allow user namespaces for it, or, in a container made for this, set VITRINE_NO_SANDBOX=1.`,
      { cause },
    );
  }
}
