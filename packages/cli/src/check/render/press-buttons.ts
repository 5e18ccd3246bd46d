// Presses the buttons of a view once, for errors in their handlers. Calls of tools are refused while
// that happens: what a button does to the server is not ours to try.

import type { Frame } from "playwright-core";
import { settle } from "./settle.ts";

/** The reason that a view gets for a refused call, so that its complaints about that aren't findings. */
export const PRESSED = "vitrine check presses buttons without calling tools";

const SETTLED = 200;

/** Presses the first few buttons. */
export async function pressButtons(frame: Frame | undefined): Promise<void> {
  if (!frame) return;
  await settle(frame.evaluate(press), 2_000);
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
}

/** Sent to the view as text, so it may not use anything outside itself. */
async function press(): Promise<void> {
  const buttons = [...document.querySelectorAll<HTMLElement>("button,[role=button]")].filter(
    // Submitting leaves the document unless the view prevents it.
    (button) =>
      button.checkVisibility() && !button.closest("form,a,[disabled],[aria-disabled=true]"),
  );
  for (const button of buttons.slice(0, 8)) {
    button.click();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
