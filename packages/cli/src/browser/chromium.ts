import { existsSync } from "node:fs";
import { chromiumOptions } from "@vitrine/conformance/reading";
import { installedChromium } from "@vitrine/testing/browser";
import type { Browser } from "playwright-core";
import { Failure } from "../failure.ts";

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
  const program = installedChromium(environment);
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
