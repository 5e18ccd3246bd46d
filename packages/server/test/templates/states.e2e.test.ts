import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";
import { statesOf, TEMPLATES } from "./template-states.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

describe.each(Object.entries(TEMPLATES))("%s", (_name, template) => {
  test.each(statesOf(template))(
    "%s reads well in light and dark, and axe finds nothing",
    async (_state, { told, reads, view = template.view }) => {
      const shown = await stage.show(view, told);
      for (const theme of ["light", "dark"] as const) {
        await shown.setTheme(theme);
        await expect.poll(() => shown.text()).toMatch(reads);
        expect(await shown.violations()).toEqual([]);
        const ground = await shown.frame.evaluate(
          () => getComputedStyle(document.body).backgroundColor,
        );
        expect(ground).toBe(theme === "light" ? "rgb(255, 255, 255)" : "rgb(26, 27, 30)");
      }
      expect(shown.errors).toEqual([]);
    },
  );
});
