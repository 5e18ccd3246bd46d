import { type HostPageOptions, type HostStage, openHostPage } from "@vitrine/testing/host-stage";
import type { Page } from "playwright";
import { onTestFinished } from "vitest";

const PARTS = new URL("./pages/parts.ts", import.meta.url);

/** Opens a page with the parts of the host package at `window.parts`; closed after the test. */
export async function openPartsPage(
  stage: HostStage,
  options: Omit<HostPageOptions, "program"> = {},
): Promise<Page> {
  const page = await openHostPage(stage, { ...options, program: PARTS });
  onTestFinished(() => page.close());
  await page.waitForFunction(() => "parts" in window);
  return page;
}
