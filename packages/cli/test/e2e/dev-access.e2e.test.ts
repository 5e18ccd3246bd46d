import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  closePages,
  type DevProject,
  type DevStage,
  makeProject,
  openDevStage,
  violations,
} from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 90_000 });

let project: DevProject;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(async () => {
  await closePages();
  await project?.remove();
});

const open = (options: { width?: number; theme?: "light" | "dark" } = {}): Promise<DevStage> =>
  openDevStage(["node", `${project.folder}/server.mjs`], options);

describe.each([
  [1440, "light"],
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
] as const)("at %i px in %s", (width, theme) => {
  test("axe finds nothing: nested form with errors, View, every tab of the inspector, menus", async () => {
    const stage = await open({ width, theme });
    const { page } = stage;
    const isNarrow = width < 760;
    const pane = async (name: string): Promise<void> => {
      if (isNarrow) await page.getByRole("button", { name, exact: true }).click();
    };
    await page.locator(".tools li button", { hasText: "order" }).click();
    for (const name of ["Add an item to tags", "Add address", "Add payment"])
      await page.getByRole("button", { name }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("This field is required.").first().waitFor();
    await page.getByRole("button", { name: "Saved" }).click();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await page.locator(".tools li button", { hasText: "blocked" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await pane("Inspect");
    await page.getByRole("tab", { name: "Problems 1" }).click();
    await page.locator(".fix").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Traffic" }).click();
    await page.locator(".row", { hasText: "tool-result" }).click();
    expect(await violations(page)).toEqual([]);
    for (const name of ["Model", "Logs", "History"]) {
      await page.locator(".inspector").getByRole("tab", { name }).click();
      expect(await violations(page)).toEqual([]);
    }
    await pane("View");
    await page.getByRole("combobox", { name: "Host" }).selectOption("claude");
    await page.getByText("as measured on").click();
    for (const name of ["Context", "Faults"]) {
      await page.getByRole("button", { name }).click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
    }
    // Nothing is cut off: the page itself never scrolls to the side.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await stage.close();
  });
});

describe("by keyboard alone", () => {
  test("a tool is found, filled in and run, and its messages are read", async () => {
    const stage = await open();
    const { page } = stage;
    await page.getByRole("button", { name: "board" }).waitFor();
    const focused = (): Promise<string> =>
      page.evaluate(() => {
        const { activeElement: active } = document;
        return active?.getAttribute("aria-label") ?? active?.textContent ?? "";
      });
    const tabTo = async (name: string): Promise<void> => {
      for (let key = 0; key < 60; key++) {
        if ((await focused()).startsWith(name)) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`No Tab leads to ${name}.`);
    };

    await tabTo("Search tools");
    await page.keyboard.type("order");
    await tabTo("order");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Order a part" }).waitFor();
    await tabTo("Fields");
    await page.keyboard.press("Tab");
    await page.keyboard.type("bolt");
    await page.keyboard.press("Tab");
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await page.getByText('{"part":"bolt","count":7,"size":"small"}').first().waitFor();

    await tabTo("Messages");
    await page.keyboard.press("End");
    const chosen = (): Promise<string | null> =>
      page.locator('.row[aria-selected="true"] .method').textContent();
    expect(await chosen()).toContain("tools/");
    await page.keyboard.press("Home");
    const first = await chosen();
    await page.keyboard.press("ArrowDown");
    expect(await page.locator(".row[aria-selected=true]").getAttribute("aria-posinset")).toBe("2");
    await page.keyboard.press("ArrowUp");
    expect(await chosen()).toBe(first);
    const active = await page.getByRole("listbox").getAttribute("aria-activedescendant");
    expect(await page.locator(`#${active}`).getAttribute("aria-selected")).toBe("true");
    await page.getByRole("region", { name: "Message", exact: true }).waitFor();

    await page.getByRole("tab", { name: "Traffic" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Problems" }).getAttribute("aria-selected")).toBe(
      "true",
    );
    await stage.close();
  });
});
