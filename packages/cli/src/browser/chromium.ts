import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromiumSwitches } from "@vitrine/conformance/reading";
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
  return chromium.launch({
    executablePath: program,
    args: [
      ...chromiumSwitches(UNWANTED),
      // As root Chromium starts in no other way; this is how containers and CI run.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });
}
