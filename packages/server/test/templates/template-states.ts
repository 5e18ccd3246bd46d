// The states that every template has, each in light and dark, wide and narrow.

import { describe, expect, test } from "vitest";
import type { ViewSource } from "../../src/view-source.ts";
import type { Scene, TemplateStage } from "./template-stage.ts";

/** The data that a template receives, and the text that it then shows. */
export interface TemplateState {
  told: Pick<Scene, "partialInput" | "input" | "result" | "cancelled">;
  reads: RegExp;
}

export type TemplateStates = Record<"data" | "partial" | "empty", TemplateState>;

const COMMON: Record<"loading" | "error" | "cancelled", TemplateState> = {
  loading: { told: {}, reads: /Loading/ },
  error: {
    told: {
      result: { isError: true, content: [{ type: "text", text: "The disk did not answer." }] },
    },
    reads: /The disk did not answer/,
  },
  cancelled: {
    told: { input: {}, cancelled: "The user stopped it." },
    reads: /Cancelled[\s\S]*stopped it/,
  },
};

/** Tests that each state is shown, and that axe finds nothing in it. */
export function describeStates(
  name: string,
  stage: () => TemplateStage,
  view: ViewSource,
  states: TemplateStates,
): void {
  describe("states", () => {
    test.each(Object.entries({ ...states, ...COMMON }))(
      "%s reads well in light and dark, and axe finds nothing",
      async (state, { told, reads }) => {
        const shown = await stage().show(view, told);
        for (const theme of ["light", "dark"] as const) {
          await shown.setTheme(theme);
          await expect.poll(() => shown.text()).toMatch(reads);
          expect(await shown.violations()).toEqual([]);
          const ground = await shown.frame.evaluate(
            () => getComputedStyle(document.body).backgroundColor,
          );
          expect(ground).toBe(theme === "light" ? "rgb(255, 255, 255)" : "rgb(26, 27, 30)");
          await shown.shoot(`${name}-${state}-${theme}`, [900, 360]);
        }
        expect(shown.errors).toEqual([]);
      },
    );
  });
}
