// Repeats a user's actions inside a view, as trusted input through the browser: a script in the page can't,
// because the view has another origin, and a view may ignore events that aren't a user's.

import type { Frame, Locator } from "playwright-core";
import type { RecordedAction, RecordedTarget } from "./recording.ts";

const TIME = 10_000;
const CHECKS = 100;

/** Performs an action. Rejects if its element doesn't appear. */
export async function perform(view: Frame, action: RecordedAction): Promise<void> {
  const element = await find(view, action.selector);
  const options = { timeout: TIME };
  switch (action.kind) {
    case "click":
      await element.click(options);
      break;
    case "fill":
      await element.fill(String(action.value), options);
      break;
    case "press":
      await element.press(String(action.value), options);
      break;
    case "select":
      await element.selectOption(action.value as string[], options);
      break;
  }
}

/** The first of the ways to find an element that finds exactly one; its path may find several. */
async function find(view: Frame, target: string | RecordedTarget): Promise<Locator> {
  const ways = locators(view, target);
  for (const until = Date.now() + TIME; ; await view.waitForTimeout(CHECKS)) {
    for (const way of ways) if ((await way.count().catch(() => 0)) === 1) return way;
    const last = ways.at(-1);
    if (last && (await last.count().catch(() => 0)) > 0) return last.first();
    if (Date.now() > until) throw new Error(`No element is ${describeTarget(target)}.`);
  }
}

function locators(view: Frame, target: string | RecordedTarget): Locator[] {
  if (typeof target === "string") return [view.locator(target)];
  const { role, name, testId, css } = target;
  return [
    ...(role && name ? [view.getByRole(role as "button", { name, exact: true })] : []),
    ...(testId ? [view.getByTestId(testId)] : []),
    view.locator(css),
  ];
}

/** The element in words. */
export function describeTarget(target: string | RecordedTarget): string {
  if (typeof target === "string") return `"${target}"`;
  const { role, name, testId, css } = target;
  if (role && name) return `a ${role} with the name "${name}"`;
  return testId ? `"${testId}" (its test id)` : `"${css}"`;
}
