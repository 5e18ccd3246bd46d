import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { diffViewer } from "../../src/templates/index.ts";
import {
  END_OF_SCRIPT,
  expectHarmless,
  expectWithinWidth,
  HOSTILE,
  longestTask,
  MARKUP,
  withPrototype,
} from "./hostile-text.ts";
import { CHANGE as files } from "./sample-data.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const result = { structuredContent: files };

const cells = (shown: Shown, kind: string): Promise<string[]> =>
  shown.frame.locator(`td.text.${kind} > bdi`).allTextContents();
const said = (shown: Shown): Promise<string | null> =>
  shown.frame.locator("main > [role=status]").last().textContent();

test("changes are gone through and folds opened with the keyboard alone", async () => {
  const shown = await stage.show(diffViewer({ title: "Change" }), { result });
  const { keyboard } = shown.page;
  const focus = shown.frame.locator(":focus");
  await shown.frame.getByRole("button", { name: "Previous change" }).focus();
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  expect(await said(shown)).toBe("Change 1 of 3");
  expect(await focus.evaluate((row) => row.tagName)).toBe("TR");
  expect(await focus.textContent()).toContain("// Reads a configuration.");
  // From the row on, the next thing to press is the fold after it.
  await keyboard.press("Tab");
  expect(await focus.textContent()).toBe("Show 19 unchanged lines");
  await keyboard.press("Enter");
  await expect.poll(() => shown.text()).toContain("export const value9 = 63;");
  const layout = shown.frame.getByRole("group", { name: "Layout" });
  await layout.getByRole("button", { name: "Split" }).focus();
  await keyboard.press("Tab");
  await keyboard.press("Space");
  expect(await layout.getByRole("button", { pressed: true }).textContent()).toBe("Unified");
  expect(await shown.frame.locator("table.unified").count()).toBe(1);
  expect(await shown.violations()).toEqual([]);
});

test("words that changed within a line are marked as such, others are not", async () => {
  const shown = await stage.show(diffViewer(), { result });
  expect(await shown.frame.locator("ins").first().textContent()).toBe("{ encoding: ");
  expect(await cells(shown, "removed")).toContain('  const text = await readFile(path, "utf8");');
  expect(await shown.text()).toMatch(/\+3\s+−3/);
});

describe("options", () => {
  test("false is false: no line numbers, no colours", async () => {
    const config = { showLineNumbers: false, syntaxHighlight: false };
    const shown = await stage.show(diffViewer(config), { result });
    expect(await shown.frame.locator("td.number").count()).toBe(0);
    expect(await shown.frame.locator(".token").count()).toBe(0);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("diff-viewer-bare", [900, 360]);
  });

  test("both are there by default", async () => {
    const shown = await stage.show(diffViewer(), { result });
    expect(await shown.frame.locator("td.number").count()).toBeGreaterThan(10);
    expect(await shown.frame.locator(".token.keyword").first().textContent()).toBe("import");
  });

  test("titles come from the data, then the config, then are words", async () => {
    const titles = async (config: object, data: object): Promise<string> => {
      const shown = await stage.show(diffViewer(config), { result: { structuredContent: data } });
      return (await shown.frame.locator("thead").textContent()) ?? "";
    };
    const config = { leftTitle: "Before", rightTitle: "After" };
    expect(await titles({}, { original: "a", modified: "b" })).toMatch(/Original.*Modified/);
    expect(await titles(config, { original: "a", modified: "b" })).toMatch(/Before.*After/);
    expect(await titles(config, files)).toMatch(/config\.js.*config\.ts/);
  });

  test("the layout is the config's, unless the View is narrow or the user chose", async () => {
    const mode = (shown: Shown): Promise<string | null> =>
      shown.frame.locator("table").getAttribute("class");
    const shown = await stage.show(diffViewer(), { result });
    expect(await mode(shown)).toBe("split");
    await shown.page.setViewportSize({ width: 420, height: 700 });
    await expect.poll(() => mode(shown)).toBe("unified");
    await shown.frame.getByRole("button", { name: "Split" }).click();
    expect(await mode(shown)).toBe("split");
    const unified = await stage.show(diffViewer({ viewMode: "unified" }), { result });
    expect(await mode(unified)).toBe("unified");
  });
});

test("a comparison of the Server is shown as it made it", async () => {
  const changes = [
    { value: "kept\n", lineNumber: 7 },
    { value: "gone\n", removed: true },
    { value: "come\n", added: true },
  ];
  const shown = await stage.show(diffViewer(), {
    result: { structuredContent: { left: "x", right: "y", changes } },
  });
  expect(await cells(shown, "removed")).toEqual(["gone"]);
  expect(await cells(shown, "added")).toEqual(["come"]);
  expect(await shown.frame.locator("td.number").allTextContents()).toEqual(["7", "7", "8", "8"]);
});

describe("hostile data", () => {
  test("is text, whatever it looks like", async () => {
    const text = HOSTILE.join("\n");
    const data = {
      left: text,
      right: `${text}\n${MARKUP}`,
      leftTitle: MARKUP,
      language: "__proto__",
    };
    for (const language of ["__proto__", "html", "js"]) {
      const shown = await stage.show(diffViewer({ title: END_OF_SCRIPT, leftTitle: MARKUP }), {
        result: withPrototype({ ...data, language }),
      });
      await expect.poll(() => cells(shown, "added")).toEqual([MARKUP]);
      expect(await shown.text()).not.toContain("INHERITED");
      await expectHarmless(shown);
    }
  });

  test("that turns the direction of code is named instead of obeyed", async () => {
    const trick = "if (isAdmin\u202E \u2066// only for admins\u2069 \u2066) {";
    const shown = await stage.show(diffViewer(), {
      result: { structuredContent: { left: "if (isAdmin) {", right: trick } },
    });
    const [line] = await cells(shown, "added");
    expect(line).toBe("if (isAdminU+202E U+2066// only for adminsU+2069 U+2066) {");
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("diff-viewer-controls", [900]);
  });

  test.each([
    ["of short lines", (word: string) => `${word}\n`.repeat(800_000)],
    ["of one line", (word: string) => word.repeat(1_000_000)],
    [
      "with nothing in common",
      (word: string) => Array.from({ length: 400_000 }, (_, at) => word + at).join("\n"),
    ],
  ])(
    "of megabytes %s does not hold up the View",
    async (_, make) => {
      const shown = await stage.show(diffViewer());
      const data = { left: make("left "), right: make("right") };
      expect(data.left.length).toBeGreaterThanOrEqual(4_500_000);
      const time = await longestTask(shown, async () => {
        await shown.tell({ result: { structuredContent: data } });
        await shown.frame.getByRole("table").waitFor({ timeout: 20_000 });
      });
      expect(time).toBeLessThan(3000);
      expect(await shown.text()).toMatch(/Too (long|different)/);
      expect(await shown.frame.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(
        6000,
      );
    },
    60_000,
  );

  test("many rows come in pieces", async () => {
    const shown = await stage.show(diffViewer(), {
      result: { structuredContent: { left: "", right: "new\n".repeat(3000) } },
    });
    expect(await cells(shown, "added")).toHaveLength(400);
    await shown.frame.getByRole("button", { name: "Show more (2,600 rows left)" }).click();
    await expect.poll(() => cells(shown, "added")).toHaveLength(1400);
  });
});

test("code runs to the right where text runs to the left, and all of it fits 320 pixels", async () => {
  const shown = await stage.show(diffViewer({ title: "تغيير" }), {
    result,
    width: 344,
    context: { locale: "ar-EG" },
  });
  expect(await shown.frame.locator("html").getAttribute("dir")).toBe("rtl");
  const cell = shown.frame.locator("td.text").first();
  expect(await cell.evaluate((one) => getComputedStyle(one).direction)).toBe("ltr");
  await expectWithinWidth(shown, 320);
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("diff-viewer-rtl", [344, 900]);
});

test("the page stays below 27 kB", () => {
  expect(gzipSync(diffViewer({ title: "Change" }).html(), { level: 9 }).length).toBeLessThan(
    27_000,
  );
});
