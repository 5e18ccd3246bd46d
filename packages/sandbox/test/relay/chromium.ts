import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright";

/** A Chromium with a profile of its own; an incognito one would switch features off. */
export async function launchChromium(...args: string[]): Promise<{
  context: BrowserContext;
  close(): Promise<void>;
}> {
  const profile = await mkdtemp(join(tmpdir(), "vitrine-relay-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 800, height: 600 },
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
  const close = async (): Promise<void> => {
    await context.close();
    // Processes that end later than the first may still write.
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  return { context, close };
}
