import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright";

export interface Chromium {
  readonly version: string;
  /** The profile's own context: an incognito one has no preconnect and no dns-prefetch to catch. */
  readonly context: BrowserContext;
  /** Addresses of the documents whose process ended; a view that does this to itself is contained. */
  readonly crashes: readonly string[];
  close(): Promise<void>;
}

// Playwright's own launch arguments switch off what we attack (storage partitioning, hints), so the
// browser is started here with no more than a test machine needs.
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-popup-blocking",
  "--noerrdialogs",
  "--remote-debugging-port=0",
  "--window-size=1200,900",
  "--allow-loopback-in-peer-connection",
  "--ignore-certificate-errors",
  // Software WebGL, so that honest views that draw can be checked on a machine without a GPU.
  "--disable-gpu",
  "--enable-unsafe-swiftshader",
  // A mouse that hovers, as on a desktop: a machine without one reports no mouse.
  "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
];

export async function startChromium(extra: readonly string[] = []): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), "vitrine-redteam-profile-"));
  const child = spawn(
    process.env.CHROMIUM ?? "/usr/bin/chromium",
    [...ARGUMENTS, `--user-data-dir=${profile}`, ...extra, "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  // A run that is interrupted must not leave a browser behind.
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  let browser: Browser;
  try {
    browser = await chromium.connectOverCDP(await debuggingAddress(child));
  } catch (error) {
    await end(child, profile);
    throw error;
  }
  const context = browser.contexts()[0];
  if (!context) throw new Error("Chromium has no default context.");
  return {
    version: browser.version(),
    context,
    crashes: await watchCrashes(browser),
    async close() {
      await browser.close().catch(() => {});
      await end(child, profile);
    },
  };
}

async function watchCrashes(browser: Browser): Promise<string[]> {
  const crashes: string[] = [];
  const addresses = new Map<string, string>();
  const session = await browser.newBrowserCDPSession();
  session.on("Target.targetInfoChanged", ({ targetInfo }) =>
    addresses.set(targetInfo.targetId, targetInfo.url),
  );
  session.on("Target.targetCreated", ({ targetInfo }) =>
    addresses.set(targetInfo.targetId, targetInfo.url),
  );
  session.on("Target.targetDestroyed", ({ targetId }) => addresses.delete(targetId));
  session.on("Target.targetCrashed", ({ targetId }) => crashes.push(addresses.get(targetId) ?? ""));
  await session.send("Target.setDiscoverTargets", { discover: true });
  return crashes;
}

function debuggingAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const late = setTimeout(() => reject(new Error(`Chromium did not start: ${output}`)), 30_000);
    child.stderr?.on("data", (chunk: Buffer) => {
      // Kept to the first lines: afterwards the stream is only drained.
      if (output.length < 20_000) output += chunk.toString();
      const address = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
      if (address) {
        clearTimeout(late);
        resolve(address);
      }
    });
    child.once("exit", (code) => reject(new Error(`Chromium ended (${code}): ${output}`)));
  });
}

async function end(child: ChildProcess, profile: string): Promise<void> {
  if (child.exitCode === null) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const hard = setTimeout(() => child.kill("SIGKILL"), 2000);
    await gone;
    clearTimeout(hard);
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
