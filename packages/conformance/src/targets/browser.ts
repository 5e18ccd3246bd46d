import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { type Browser, chromium } from "playwright-core";
import { within, wordsOf } from "../deadline.ts";
import { chromiumOptions } from "./chromium-options.ts";

/** The Chromium for scenarios. */
export interface BrowserOptions {
  /** The program of Chromium; default `$CHROMIUM`, then Playwright's own, then the system's. */
  chromium?: string;
  /** A running browser, which isn't closed here; each scenario has its own context in it. */
  browser?: Browser;
}

// Pages that the suite serves itself have no address, and would need permission for local ones.
const UNWANTED = ["LocalNetworkAccessChecks"];

/** A browser, and how to release it. */
export interface BrowserLease {
  browser: Browser;
  close(): Promise<void>;
}

/** Starts Chromium, unless one is given. */
export async function leaseBrowser(options: BrowserOptions): Promise<BrowserLease> {
  const { browser: given, chromium: program = installedChromium() } = options;
  if (given) return { browser: given, close: () => Promise.resolve() };
  const browser = await chromium.launch({
    ...(program && { executablePath: program }),
    ...chromiumOptions(UNWANTED),
  });
  return { browser, close: () => browser.close() };
}

/**
 * Throws if nothing listens at the address; names below `localhost` are this machine for a browser.
 */
export async function reachable(address: string): Promise<void> {
  const { protocol, hostname, port } = new URL(address);
  const host = /(^|\.)localhost$/.test(hostname) ? "127.0.0.1" : hostname.replace(/^\[|\]$/g, "");
  const socket = connect(Number(port) || (protocol === "https:" ? 443 : 80), host);
  try {
    await within(once(socket, "connect"), 10_000, "Connecting");
  } catch (error) {
    throw new Error(`${address} could not be reached: ${wordsOf(error)}`);
  } finally {
    socket.destroy();
  }
}

function installedChromium(): string | undefined {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return existsSync(chromium.executablePath()) ? undefined : "/usr/bin/chromium";
}
