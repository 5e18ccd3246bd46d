// `mountView` for tests with Playwright. Adding a name here makes it public.

import type { Page } from "playwright-core";
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

/**
 * Shows a view in a page, in a strict host and sandbox with the policy of production. Resolves when the
 * view has connected and rejects with the reason if it doesn't.
 */
export function mountView(
  page: Page,
  view: MountableView,
  options: MountOptions = {},
): Promise<MountedView> {
  return mountInPage(page, view, options);
}
