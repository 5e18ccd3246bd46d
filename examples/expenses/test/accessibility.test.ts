import { mountView } from "@vitrine/testing/vitest";
import axe from "axe-core";
import { expect, test } from "vitest";
import stories from "../views/expenses/expenses.stories.ts";

const page = new URL("../dist/ui/expenses/index.html", import.meta.url);
const { PICTURES } = process.env;

test.each(stories.stories)("$name has no accessibility problem", async ({ name, ...story }) => {
  const view = await mountView(page, story);
  const { frame } = view;
  await frame.locator("h1").waitFor();
  await frame.addScriptTag({ content: axe.source });
  for (const theme of ["light", "dark"] as const) {
    for (const width of [360, 900]) {
      await view.setHost({ theme, width });
      await frame.locator(`html[data-theme="${theme}"]`).waitFor({ state: "attached" });
      const found = await frame.evaluate(async () => {
        const { violations } = await (globalThis as unknown as Axe).axe.run();
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
      });
      expect(found, `${theme}, ${width} px`).toEqual([]);
      if (!PICTURES) continue;
      const path = `${PICTURES}/${name.replaceAll(/\W+/g, "-")}-${theme}-${width}.png`;
      await frame.locator("main").screenshot({ path });
    }
  }
});

interface Axe {
  axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
}
