import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Frame } from "playwright-core";
import { settle } from "./settle.ts";
import type { AxeViolation } from "./sighting.ts";

declare const axe: { run(root: unknown, options: object): Promise<{ violations: AxeResult[] }> };

interface AxeResult {
  id: string;
  impact?: string;
  help: string;
  nodes: { target: unknown[] }[];
}

let axeSource: Promise<string> | undefined;

/** Checks accessibility by the rules of WCAG 2.2 A and AA. */
export async function audit(frame: Frame | undefined): Promise<AxeViolation[]> {
  if (!frame) return [];
  axeSource ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const source = await axeSource;
  // Through the debugger, which the view's policy doesn't affect.
  await settle(frame.evaluate(source), 5_000);
  await settle(frame.evaluate(paintCanvas), 2_000);
  const found = await settle(
    frame.evaluate(() =>
      axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        resultTypes: ["violations"],
        iframes: false,
      }),
    ),
    10_000,
  );
  return (found?.violations ?? []).map(({ id, impact, help, nodes }) => ({
    id,
    impact: impact ?? "minor",
    help,
    count: nodes.length,
    target: String(nodes[0]?.target[0] ?? ""),
  }));
}

/**
 * Runs in the view: axe treats a page without a background as white, but with a dark scheme the
 * browser paints it dark.
 */
function paintCanvas(): void {
  const isClear = (element: Element | null): boolean =>
    element !== null && getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";
  const { documentElement: root, body } = document;
  if (isClear(root) && isClear(body)) root.style.backgroundColor = "Canvas";
}
