import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ChartConfig, chart } from "../../src/templates/index.ts";
import {
  END_OF_SCRIPT,
  expectHarmless,
  expectWithinWidth,
  HOSTILE,
  longestTask,
  MARKUP,
  withPrototype,
} from "./hostile-text.ts";
import { BROWSERS as browsers, HOURS, SALES as months } from "./sample-data.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const result = { structuredContent: { rows: months } };
const three = ["north", "south", "east"];
const sales = chart({ title: "Sales by month", type: "bar", x: "month", y: three });

const KINDS: Record<string, { config: ChartConfig; rows: object[]; marks: [string, number] }> = {
  bar: { config: { x: "month", y: "north", yLabel: "Orders" }, rows: months, marks: [".bar", 12] },
  grouped: { config: { x: "month", y: three }, rows: months, marks: [".bar", 36] },
  stacked: { config: { x: "month", y: three, stacked: true }, rows: months, marks: [".bar", 36] },
  negative: { config: { x: "month", y: "change" }, rows: months, marks: [".bar", 12] },
  lying: { config: {}, rows: browsers, marks: [".bar", 5] },
  line: { config: { type: "line", x: "date", y: three }, rows: months, marks: [".plot .line", 3] },
  area: { config: { type: "area", x: "date", y: "north" }, rows: months, marks: [".area", 1] },
  areas: {
    config: { type: "area", x: "date", y: three, stacked: true },
    rows: months,
    marks: [".area", 3],
  },
  pie: { config: { type: "pie" }, rows: browsers, marks: [".slice", 5] },
  donut: { config: { type: "donut" }, rows: browsers, marks: [".slice", 5] },
  scatter: {
    config: { type: "scatter", x: "north", y: ["south", "east"], xLabel: "North" },
    rows: months,
    marks: [".plot .marker", 24],
  },
};

/** Parts of the picture that stick out of it sideways. */
const outside = (shown: Shown): Promise<string[]> =>
  shown.frame.evaluate(() =>
    [...document.querySelectorAll(".plot > svg :is(text, rect, path)")].flatMap((mark) => {
      const box = mark.getBoundingClientRect();
      const frame = (mark.closest("svg") as Element).getBoundingClientRect();
      return box.left >= frame.left - 3 && box.right <= frame.right + 3 ? [] : mark.outerHTML;
    }),
  );

describe("kinds", () => {
  test.each(Object.entries(KINDS))("%s is drawn in light and dark", async (name, kind) => {
    const { config, rows, marks } = kind;
    const shown = await stage.show(chart({ title: "Figures", ...config }), {
      result: { structuredContent: { rows } },
    });
    expect(await shown.frame.locator(marks[0]).count()).toBe(marks[1]);
    for (const theme of ["light", "dark"] as const) {
      await shown.setTheme(theme);
      expect(await shown.violations()).toEqual([]);
      await shown.shoot(`chart-${name}-${theme}`, [900, 360]);
    }
    await shown.page.setViewportSize({ width: 344, height: 700 });
    await expect.poll(() => shown.frame.evaluate(() => innerWidth)).toBeLessThanOrEqual(320);
    // Nothing of the picture is cut off, once it is drawn for that width.
    await expect.poll(() => outside(shown)).toEqual([]);
    await expectWithinWidth(shown, 320);
    expect(shown.errors).toEqual([]);
  });
});

const said = (shown: Shown): Promise<string | null> =>
  shown.frame.locator("main > [role=status]").last().textContent();

describe("for users of a screen reader", () => {
  test("a chart has a description, and arrow keys read single values", async () => {
    const shown = await stage.show(chart({ type: "line", x: "date", y: ["north", "south"] }), {
      result,
    });
    const plot = shown.frame.getByRole("application");
    expect(await plot.getAttribute("aria-label")).toBe(
      "Line chart of 12 values from 1 Jan 2026 to 1 Dec 2026. " +
        "North: lowest 860, highest 2,278. South: lowest 774, highest 1,308.",
    );
    const { keyboard } = shown.page;
    await shown.frame.locator("body").click({ position: { x: 2, y: 2 } });
    await keyboard.press("Tab");
    await keyboard.press("ArrowRight");
    await keyboard.press("ArrowRight");
    expect(await said(shown)).toBe("1 Feb 2026: North 1,691, South 1,308");
    expect(await shown.frame.locator(".reading").textContent()).toBe(
      "1 Feb 2026North1,691South1,308",
    );
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("chart-reading", [900, 360]);
    await keyboard.press("End");
    expect(await said(shown)).toMatch(/^1 Dec 2026/);
    await keyboard.press("Escape");
    expect(await shown.frame.locator(".reading").count()).toBe(0);
  });

  test("a table of all values is a key away, and false takes it away", async () => {
    const shown = await stage.show(sales, { result });
    const { keyboard } = shown.page;
    await shown.frame.getByRole("application").focus();
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    const table = shown.frame.getByRole("table");
    expect(await table.locator("thead th").allTextContents()).toEqual([
      "Month",
      "North",
      "South",
      "East",
    ]);
    expect(await table.locator("tbody tr").nth(1).locator("th, td").allTextContents()).toEqual([
      "Feb",
      "1,691",
      "1,308",
      "345",
    ]);
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("chart-table", [900, 360]);
    await keyboard.press("Enter");
    expect(await table.count()).toBe(0);
    const bare = await stage.show(chart({ x: "month", y: three, table: false }), { result });
    expect(await bare.frame.getByRole("button").count()).toBe(0);
  });

  test("a pie has its shares in words", async () => {
    const shown = await stage.show(chart({ type: "donut" }), {
      result: { structuredContent: { rows: browsers } },
    });
    const name = await shown.frame.getByRole("img").getAttribute("aria-label");
    expect(name).toMatch(/^Donut chart: Browsers made of Chromium 68\.4%, Safari 20\.3%/);
    expect(await shown.frame.locator(".legend li").nth(1).textContent()).toBe("Safari19.120.3%");
  });
});

describe("for those who see no colours", () => {
  test("with patterns every series has one, or a dash and a shape, of its own", async () => {
    const data = { rows: [{ name: "a", p: 1, q: 2, r: 3, s: 4, t: 5, u: 6, v: 7 }] };
    const looks = async (type: "bar" | "line"): Promise<string[]> => {
      const shown = await stage.show(chart({ type, patterns: true, legend: true }), {
        result: { structuredContent: data },
      });
      return shown.frame.evaluate(() =>
        [...document.querySelectorAll(".legend .swatch")].map((swatch) => {
          const rect = swatch.querySelector("rect");
          const fill = rect && getComputedStyle(rect).fill;
          const pattern = fill && document.querySelector(`${fill.slice(5, -2)} path`);
          const path = swatch.querySelector(".line");
          const line = path && getComputedStyle(path).strokeDasharray;
          const shape = swatch.querySelector(".marker")?.getAttribute("d");
          return pattern ? (pattern.getAttribute("d") ?? "") : `${line} ${shape}`;
        }),
      );
    };
    for (const type of ["bar", "line"] as const) {
      const made = await looks(type);
      expect(made).toHaveLength(7);
      expect(new Set(made).size).toBe(7);
    }
  });

  test("colours alone are solid, and six series come before the rest", async () => {
    const row = { name: "a", p: 1, q: 2, r: 3, s: 4, t: 5, u: 6, v: 7, w: 8 };
    const shown = await stage.show(chart(), { result: { structuredContent: { rows: [row] } } });
    expect(await shown.frame.locator("pattern").count()).toBe(0);
    const legend = await shown.frame.locator(".legend li").allTextContents();
    expect(legend).toEqual(["P", "Q", "R", "S", "T", "U", "Other (2)"]);
    await shown.frame.getByRole("button", { name: "Show table" }).click();
    expect(await shown.frame.locator("thead th").allTextContents()).toHaveLength(9);
  });
});

describe("time", () => {
  const hours = { result: { structuredContent: { rows: HOURS } }, context: { locale: "en-US" } };
  const below = (shown: Shown): Promise<string[]> =>
    shown.frame.locator(".names").allTextContents();

  test("an axis of two days has the date wherever the day changes", async () => {
    const shown = await stage.show(chart({ type: "line", y: "requests" }), hours);
    const words = await below(shown);
    expect(words.filter((word) => /12:00.AM/.test(word))).toEqual([
      expect.stringContaining("Mar 14"),
      expect.stringContaining("Mar 15"),
      expect.stringContaining("Mar 16"),
    ]);
    const bars = await stage.show(chart({ y: "requests" }), hours);
    expect((await below(bars)).filter((word) => word.includes("Mar"))).toHaveLength(2);
  });

  test("lines are named at their ends where there is room, else by a legend", async () => {
    const shown = await stage.show(chart({ type: "line" }), hours);
    expect(await shown.frame.locator(".end").allTextContents()).toEqual(["Requests", "Errors"]);
    expect(await shown.frame.locator(".legend").count()).toBe(0);
    await shown.page.setViewportSize({ width: 360, height: 700 });
    await expect.poll(() => shown.frame.locator(".legend").count()).toBe(1);
    expect(await shown.frame.locator(".end").count()).toBe(0);
  });
});

test("the chart fills the height of full screen", async () => {
  const shown = await stage.show(sales, { result });
  const height = () => shown.frame.evaluate(() => document.querySelector(".plot")?.clientHeight);
  expect(await height()).toBe(340);
  await shown.page.evaluate(() =>
    window.stage.host.views.get("view")?.setDisplayMode("fullscreen"),
  );
  await expect.poll(height).toBeGreaterThan(400);
  const room = await shown.frame.evaluate(() => innerHeight);
  expect(await height()).toBe(room - 190);
});

describe("options", () => {
  test("the config controls the legend, values at bars and horizontal bars", async () => {
    const count = async (config: ChartConfig, selector: string): Promise<number> => {
      const shown = await stage.show(chart({ x: "month", ...config }), { result });
      await shown.frame.locator(".bar").first().waitFor();
      return shown.frame.locator(selector).count();
    };
    expect(await count({ y: "north" }, ".legend")).toBe(0);
    expect(await count({ y: "north", legend: true }, ".legend")).toBe(1);
    expect(await count({ y: three, legend: false }, ".legend")).toBe(0);
    expect(await count({ y: "north" }, ".value")).toBe(12);
    expect(await count({ y: "north", showValues: false }, ".value")).toBe(0);
    const lying = await stage.show(chart({ x: "month", y: "north", horizontal: true }), { result });
    const boxes = await lying.frame
      .locator(".bar")
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
    expect(new Set(boxes.map(Math.round)).size).toBe(1);
  });

  test("axes and values use the Host's locale and the configured format", async () => {
    const shown = await stage.show(
      chart({ type: "line", x: "date", y: "north", format: "currency:EUR" }),
      { result, context: { locale: "de-DE" } },
    );
    const words = await shown.frame.locator(".word").allTextContents();
    expect(words.join(" ").replaceAll("\u00a0", " ")).toMatch(/2\.500,00 €.*Jan.*2026/);
    expect(await shown.frame.getByRole("application").getAttribute("aria-label")).toContain(
      "2.278,00",
    );
  });

  test("the data may say what it wants to be", async () => {
    const shown = await stage.show(chart({ title: "Any" }), {
      result: { structuredContent: { type: "donut", x: "name", y: "share", rows: browsers } },
    });
    expect(await shown.frame.locator(".slice").count()).toBe(5);
  });
});

test("where text runs to the left, so does the chart", async () => {
  for (const [name, config] of [
    ["bars", { x: "month", y: three }],
    ["lying", { x: "month", y: "change", horizontal: true }],
  ] as const) {
    const shown = await stage.show(chart({ title: "مبيعات", ...config, y: config.y as string[] }), {
      result,
      context: { locale: "ar-EG" },
    });
    if (name === "bars") {
      const lefts = await shown.frame
        .locator("g:nth-of-type(1) > .bar")
        .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
      expect(lefts).toEqual([...lefts].sort((a, b) => b - a));
      await shown.frame.getByRole("application").focus();
      await shown.page.keyboard.press("ArrowLeft");
      await shown.page.keyboard.press("ArrowLeft");
      expect(await said(shown)).toMatch(/^Feb/);
    }
    expect(await shown.violations()).toEqual([]);
    await shown.shoot(`chart-rtl-${name}`, [900, 360]);
  }
});

describe("hostile data", () => {
  test("is text, whatever it looks like", async () => {
    const rows = HOSTILE.map((text, at) => ({ name: text, [MARKUP]: at + 1, constructor: at }));
    for (const type of ["bar", "line", "pie"] as const) {
      const shown = await stage.show(
        chart({ title: END_OF_SCRIPT, type, xLabel: MARKUP, yLabel: END_OF_SCRIPT }),
        { result: withPrototype({ rows }) },
      );
      await shown.frame.locator("svg .word").first().waitFor();
      await shown.frame.getByRole("button", { name: "Show table" }).click();
      expect(await shown.frame.locator("tbody th").allTextContents()).toContain(MARKUP);
      if (type !== "pie") {
        await shown.frame.getByRole("application").focus();
        await shown.page.keyboard.press("End");
      }
      await expectHarmless(shown);
    }
  });

  test("of ten megabytes is drawn in a moment, as lines, bars and points", async () => {
    const rows = Array.from({ length: 24_000 }, (_, at) => ({
      at,
      value: Math.sin(at / 500) * 1000,
      other: Math.cos(at / 900) * 700,
      note: "Padding of no meaning. ".repeat(14),
    }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(9_000_000);
    for (const type of ["line", "bar", "scatter"] as const) {
      const shown = await stage.show(chart({ type, x: "at", y: ["value", "other"] }));
      const time = await longestTask(shown, async () => {
        await shown.tell({ result: { structuredContent: { rows } } });
        await shown.frame.locator(".plot svg").waitFor({ timeout: 20_000 });
      });
      expect(time).toBeLessThan(3000);
      expect(await shown.text()).toContain("more data than is shown");
      const count = await shown.frame.evaluate(() => document.querySelectorAll("*").length);
      expect(count).toBeLessThan(6000);
    }
  }, 90_000);

  test("of the strangest numbers throws nothing", async () => {
    const rows = [1e308, -1e308, 1e99, 5e-324, 0, -0, 1e-12].map((n, at) => ({
      name: `n${at}`,
      n,
      m: n,
    }));
    for (const type of ["bar", "line", "area", "pie", "scatter"] as const) {
      const shown = await stage.show(chart({ type, stacked: true }), {
        result: { structuredContent: { rows } },
      });
      await shown.frame.locator("figure svg").last().waitFor();
      const figure = shown.frame.locator("figure");
      expect(await figure.innerHTML()).not.toMatch(/NaN|Infinity/);
      expect(shown.errors).toEqual([]);
    }
  });
});

test("the page stays below 40 kB", () => {
  expect(gzipSync(sales.html(), { level: 9 }).length).toBeLessThan(40_000);
});
