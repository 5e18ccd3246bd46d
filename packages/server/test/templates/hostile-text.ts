// What a server that means harm might put wherever text goes.

import { expect } from "vitest";
import type { Shown } from "./template-stage.ts";

export const MARKUP = '<img src=x onerror="window.wasHit=1">';
export const END_OF_SCRIPT = "</script><script>window.wasHit=1</script><!--";
export const OVERRIDE = "\u202Etxt.exe";

/** Each of them, and names that objects have by birth. */
export const HOSTILE: readonly string[] = [
  MARKUP,
  END_OF_SCRIPT,
  '"><svg onload=window.wasHit=1>',
  "javascript:window.wasHit=1",
  "{{constructor.constructor('window.wasHit=1')()}}",
  "__proto__",
  "constructor",
  OVERRIDE,
  "\u0000\u0007\uD800",
];

/** JSON in whose every object there is an own `__proto__`, which only text can carry. */
export function withPrototype(data: unknown): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text: write(data) }] };
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${write(one)}`);
  const inherited = '{"polluted":1,"title":"INHERITED","label":"INHERITED","left":"INHERITED"}';
  return `{${[`"__proto__":${inherited}`, ...members].join()}}`;
}

/** Nothing ran, no element was created from it, and no text reorders the text next to it. */
export async function expectHarmless(shown: Shown): Promise<void> {
  const found = await shown.frame.evaluate(() => {
    const kept = window as never as { wasHit?: unknown };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const loose: string[] = [];
    while (texts.nextNode()) {
      const { textContent, parentElement } = texts.currentNode;
      if (!textContent?.includes("\u202e") || parentElement?.closest("script, .hidden")) continue;
      const isApart = (element: Element | null): boolean =>
        element !== null &&
        (/isolate|plaintext/.test(getComputedStyle(element).unicodeBidi) ||
          element instanceof SVGTextElement ||
          isApart(element.parentElement));
      // A block holds its text together by itself; what stands in a line with others does not.
      if (!isApart(parentElement)) loose.push(textContent);
    }
    return {
      wasHit: kept.wasHit ?? null,
      foreign: document.querySelectorAll("main :is(img, script, iframe, object, embed, form, a)")
        .length,
      polluted: ({} as { polluted?: unknown }).polluted ?? null,
      loose,
    };
  });
  expect(found).toEqual({ wasHit: null, foreign: 0, polluted: null, loose: [] });
  expect(shown.errors).toEqual([]);
}

/** Milliseconds of the longest time in which the View could do nothing else. */
export async function longestTask(shown: Shown, act: () => Promise<unknown>): Promise<number> {
  await shown.frame.evaluate(() => {
    const kept = window as never as { longest: number };
    kept.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) kept.longest = Math.max(kept.longest, duration);
    }).observe({ type: "longtask" });
  });
  await act();
  await shown.page.waitForTimeout(300);
  return shown.frame.evaluate(() => (window as never as { longest: number }).longest);
}

/** Whether nothing of the View sticks out of it sideways. */
export async function expectWithinWidth(shown: Shown, width: number): Promise<void> {
  const [page, view] = await shown.frame.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  expect(view).toBeLessThanOrEqual(width);
  expect(page).toBe(view);
}
