import { type HostPageOptions, type HostStage, openHostPage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { onTestFinished, type TestContext } from "vitest";

const PARTS = new URL("./pages/parts.ts", import.meta.url);

/** How it is opened. */
export interface PartsPageOptions extends Omit<HostPageOptions, "program"> {
  /** The test's own, where tests run side by side. */
  context?: Pick<TestContext, "onTestFinished">;
}

/** Opens a page with the parts of the host package at `window.parts`; closed after the test. */
export async function openPartsPage(
  stage: HostStage,
  { context = { onTestFinished }, ...options }: PartsPageOptions = {},
): Promise<Page> {
  const page = await openHostPage(stage, { ...options, program: PARTS });
  context.onTestFinished(() => page.close());
  await page.waitForFunction(() => "parts" in window);
  return page;
}
