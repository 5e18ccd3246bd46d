// `mountView` for tests with Vitest, in its usual Node environment: the view is shown in the installed
// Chromium. Adding a name here makes it public.

import type { Browser } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";
import { launchTestBrowser } from "./mount/installed-chromium.ts";
import type { MountableView, MountOptions } from "./mount/mount-options.ts";
import { type MountedView, mountInPage } from "./mount/mounted-view.ts";

export { MountError, type MountErrorCode } from "./mount/mount-error.ts";
export type {
  AppLike,
  MountableView,
  MountHost,
  MountOptions,
  ServerLike,
  ToolAnswer,
} from "./mount/mount-options.ts";
export type { MountedView, ViewContext, ViewMessage } from "./mount/mounted-view.ts";
export type { ToolCall } from "./mount/tool-answers.ts";

let browser: Promise<Browser> | undefined;

// In the file that imports this module. A browser that is started later ends with the process.
afterAll(async () => {
  const running = browser;
  browser = undefined;
  await (await running?.catch(() => undefined))?.close();
});

/**
 * Shows a view in a strict host and sandbox with the policy of production. Resolves when the view has
 * connected and rejects with the reason if it doesn't. The view is closed when the test ends.
 */
export async function mountView(
  view: MountableView,
  options: MountOptions = {},
): Promise<MountedView> {
  browser ??= launchTestBrowser();
  const context = await (await browser).newContext({ viewport: { width: 1024, height: 800 } });
  onTestFinished(() => context.close());
  return mountInPage(await context.newPage(), view, options);
}
