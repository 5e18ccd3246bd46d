// Presses the buttons of a view once each, for errors in their handlers. Calls of tools are refused
// while that happens: what a button does to the server is not ours to try.

import type { Frame, JSHandle } from "playwright-core";
import { settle } from "./settle.ts";

/** The reason that a view gets for a refused call, so that its complaints about that aren't findings. */
export const PRESSED = "vitrine check presses buttons without calling tools";

const MOST_BUTTONS = 8;
// Errors of a handler arrive at once, or after its first await.
const AFTER_EACH = 60;
const AFTER_ALL = 200;

/** What the buttons lead to. */
export interface PressOptions {
  /** The number of calls that were refused so far. */
  refusals(): number;
  /** Called after each button. Errors since the last one may be our own fault if it isn't fair. */
  onPressed(isFair: boolean): void;
}

/** Presses the first few buttons, one after the other. */
export async function pressButtons(
  frame: Frame | undefined,
  { refusals, onPressed }: PressOptions,
): Promise<void> {
  const buttons = await settle(frame?.evaluateHandle(findButtons), 2_000);
  const count =
    (await settle(
      buttons?.evaluate(({ length }) => length),
      2_000,
    )) ?? 0;
  for (let at = 0; at < Math.min(count, MOST_BUTTONS); at++) {
    const before = refusals();
    await settle((buttons as JSHandle<HTMLElement[]>).evaluate(press, at), 2_000);
    await pause(AFTER_EACH);
    // A view needs time to complain about the refusal, and the last button has no successor.
    const isLast = at + 1 === Math.min(count, MOST_BUTTONS);
    if (isLast || refusals() !== before) await pause(AFTER_ALL);
    onPressed(refusals() === before);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Sent to the view as text, so it may not use anything outside itself. */
function findButtons(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("button,[role=button]")].filter(
    // Submitting leaves the document unless the view prevents it.
    (button) =>
      button.checkVisibility() && !button.closest("form,a,[disabled],[aria-disabled=true]"),
  );
}

/** Sent to the view as text, too. */
function press(buttons: HTMLElement[], at: number): void {
  const button = buttons[at];
  if (button?.isConnected) button.click();
}
