import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { detail, gallery } from "../../src/templates/index.ts";
import { PATIENT, PICTURES } from "./sample-data.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const focused = (shown: Shown): Promise<string> =>
  shown.frame.evaluate(() => {
    const { activeElement } = document;
    const image = activeElement?.querySelector("img")?.alt;
    return image ?? activeElement?.getAttribute("aria-label") ?? activeElement?.textContent ?? "";
  });

describe("a card", () => {
  const result = { structuredContent: PATIENT };
  const pairs = (shown: Shown): Promise<string[]> =>
    shown.frame.evaluate(() =>
      [...document.querySelectorAll("dl > div")].map(
        (row) => `${row.children[0]?.textContent}: ${row.children[1]?.textContent}`,
      ),
    );

  test("shows the properties of an object and what is nested in them", async () => {
    const shown = await stage.show(detail(), { result });
    expect((await pairs(shown)).slice(0, 5)).toEqual([
      "Name: Ada Lovelace",
      "Born: 10 Dec 1815",
      "Blood type: 0+",
      "Active: Yes",
      "Website: example.com/ada",
    ]);
    expect(await shown.frame.getByRole("heading").allTextContents()).toEqual([
      "Show it",
      "Address",
      "Visits",
    ]);
    // Two equal objects are one table.
    const visits = shown.frame.locator("tbody tr");
    expect(await visits.allTextContents()).toEqual([
      "V-13 Feb 2026, 09:30Dr Turing120.5",
      "V-217 Mar 2026, 14:00Dr Hopper80",
    ]);
  });

  test("shows what it is asked for, in that order and form", async () => {
    const config = {
      titleKey: "name",
      fields: [
        { key: "born", label: "Birthday", format: "text" as const },
        { key: "middleName" },
        { key: "address" },
        { key: "bloodType" },
      ],
      exclude: ["postcode"],
      hideEmpty: true,
    };
    const shown = await stage.show(detail(config), { result });
    expect(await shown.frame.locator("h2.name").textContent()).toBe("Ada Lovelace");
    expect(await pairs(shown)).toEqual([
      "Birthday: 1815-12-10",
      "Blood type: 0+",
      "Street: 12 St James’s Square",
      "City: London",
    ]);
    const open = await stage.show(detail({ ...config, hideEmpty: false }), { result });
    expect(await pairs(open)).toContain("Middle name: –none");
  });

  test("opens and closes what lies deep with the keyboard", async () => {
    const shown = await stage.show(detail({ expandLevel: 0 }), { result });
    expect(await pairs(shown)).not.toContain("City: London");
    await shown.frame.locator("summary").first().focus();
    await shown.page.keyboard.press("Enter");
    await expect.poll(() => pairs(shown)).toContain("City: London");
    expect(await shown.violations()).toEqual([]);
    await shown.page.keyboard.press("Enter");
    await expect.poll(() => pairs(shown)).not.toContain("City: London");
  });

  test("asks the Host to open a link, and goes nowhere itself", async () => {
    const shown = await stage.show(detail(), { result });
    await shown.frame.getByRole("link", { name: "example.com/ada" }).focus();
    await shown.page.keyboard.press("Enter");
    await expect
      .poll(() => shown.page.evaluate(() => window.stage.links))
      .toEqual(["https://example.com/ada"]);
    expect(await shown.text()).toContain("Ada Lovelace");
  });

  test("of a thousand items shows twenty, and more when asked", async () => {
    const items = Array.from({ length: 1000 }, (_, at) => ({ name: `Item ${at}`, at }));
    const shown = await stage.show(detail(), { result: { structuredContent: { items } } });
    await expect.poll(() => shown.frame.locator("tbody tr").count()).toBe(20);
    await shown.frame.getByRole("button", { name: "Show more (20 of 1,000)" }).click();
    await expect.poll(() => shown.frame.locator("tbody tr").count()).toBe(40);
  });

  test("of an object in an object, sixty deep, ends", async () => {
    let deep: Record<string, unknown> = { end: true };
    for (let level = 0; level < 60; level++) deep = { level, inner: deep };
    const shown = await stage.show(detail({ expandLevel: 1000 }), {
      result: { structuredContent: deep },
    });
    await expect.poll(() => shown.text()).toContain("{level: 51");
    expect(shown.errors).toEqual([]);
    expect(await shown.violations()).toEqual([]);
  });
});

describe("a gallery", () => {
  const result = { structuredContent: { images: PICTURES } };

  test("is opened, leafed through and closed with the keyboard alone", async () => {
    const shown = await stage.show(gallery({ title: "Harbour" }), { result });
    const { keyboard } = shown.page;
    await shown.frame.getByRole("button", { name: "Ferry in the last light" }).focus();
    await keyboard.press("Enter");
    await shown.frame.getByText("2 of 5", { exact: true }).waitFor();
    expect(await focused(shown)).toBe("Close");
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("gallery-open-light", [900, 360]);
    await keyboard.press("ArrowRight");
    await shown.frame.getByText("3 of 5", { exact: true }).waitFor();
    await keyboard.press("End");
    await keyboard.press("ArrowRight");
    await shown.frame.getByText("5 of 5", { exact: true }).waitFor();
    await keyboard.press("Home");
    await shown.frame.getByRole("img", { name: "Lighthouse in the last light" }).waitFor();
    await keyboard.press("Tab");
    expect(await focused(shown)).toBe("Previous image");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await shown.frame.getByText("2 of 5", { exact: true }).waitFor();
    await keyboard.press("Escape");
    await expect.poll(() => focused(shown)).toBe("Ferry in the last light");
    await shown.setTheme("dark");
    await keyboard.press("Enter");
    await shown.frame.getByText("2 of 5", { exact: true }).waitFor();
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("gallery-open-dark", [360]);
  });

  test("turns the arrow keys where text runs to the left", async () => {
    const shown = await stage.show(gallery(), { result, context: { locale: "he" } });
    await shown.frame.getByRole("button").first().click();
    await shown.page.keyboard.press("ArrowLeft");
    // Words of the View keep their own direction.
    await shown.frame.getByText("\u20682 of 5\u2069", { exact: true }).waitFor();
  });

  test("shows captions unless told not to", async () => {
    const shown = await stage.show(gallery({ showCaptions: false, objectFit: "contain" }), {
      result,
    });
    await shown.frame.getByRole("img").first().waitFor();
    expect(await shown.frame.locator("figcaption").count()).toBe(0);
    const fit = await shown.frame
      .locator(".tile img")
      .first()
      .evaluate((image) => getComputedStyle(image).objectFit);
    expect(fit).toBe("contain");
  });

  test("shows images that come as blocks of content", async () => {
    const data = (PICTURES[0]?.src ?? "").split(",")[1] as string;
    const content = [
      { type: "text" as const, text: "Two images" },
      { type: "image" as const, data, mimeType: "image/svg+xml" },
      {
        type: "resource" as const,
        resource: { uri: "file:///a.svg", mimeType: "image/svg+xml", blob: data },
      },
    ];
    const shown = await stage.show(gallery(), { result: { content } });
    await expect.poll(() => shown.frame.getByRole("img").count()).toBe(2);
    expect(await shown.frame.getByRole("img").first().getAttribute("alt")).toBe("Image 1");
    await expect
      .poll(() =>
        shown.frame
          .getByRole("img")
          .first()
          .evaluate((image) => (image as HTMLImageElement).naturalWidth),
      )
      .toBeGreaterThan(0);
  });

  test("names the images that it can't load, and lets the Host open them", async () => {
    const images = [
      { src: "https://images.example.com/a.png", alt: "Far away", caption: "Not declared" },
      { src: "javascript:alert(1)", alt: "A script" },
      { src: "data:text/html,<script>parent.pwned=1</script>", alt: "A page" },
      { src: "http://plain.example/a.png", alt: "Not encrypted" },
    ];
    const shown = await stage.show(gallery(), { result: { structuredContent: { images } } });
    await expect.poll(() => shown.frame.getByText("could not be shown").count()).toBe(4);
    expect(await shown.frame.getByRole("img").count()).toBe(0);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("gallery-missing-light", [900]);
    await shown.frame.getByRole("button", { name: /Far away/ }).click();
    await shown.frame.getByRole("link").click();
    await expect
      .poll(() => shown.page.evaluate(() => window.stage.links))
      .toEqual(["https://images.example.com/a.png"]);
    await shown.page.keyboard.press("ArrowRight");
    await shown.frame.getByText("2 of 4", { exact: true }).waitFor();
    expect(await shown.frame.getByRole("link").count()).toBe(0);
  });

  test("declares the origins of its images, and is let through to them", async () => {
    const view = gallery({ imageDomains: ["https://images.example.com"] });
    const shown = await stage.show(view, {});
    const asked: string[] = [];
    await shown.page.context().route("https://images.example.com/**", (route) => {
      asked.push(route.request().url());
      return route.fulfill({
        contentType: "image/svg+xml",
        body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      });
    });
    const images = [{ src: "https://images.example.com/a.svg", alt: "Declared" }];
    await shown.tell({ result: { structuredContent: { images } } });
    await expect
      .poll(() =>
        shown.frame.getByRole("img").evaluate((image) => (image as HTMLImageElement).naturalWidth),
      )
      .toBe(9);
    expect(asked).toEqual(["https://images.example.com/a.svg"]);
    await shown.page.context().unrouteAll();
  });
});
