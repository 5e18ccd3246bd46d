import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dataTable } from "../../src/templates/index.ts";
import { templatePage } from "../../src/templates/template-page.ts";
import { ORDERS } from "./sample-data.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const result = { structuredContent: { rows: ORDERS } };

/** A column as it is read, from its first row down. */
const column = (shown: Shown, place: number): Promise<string[]> =>
  shown.frame.evaluate(
    (place) =>
      [...document.querySelectorAll("tbody tr")].map(
        // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count.
        (row) => (row.children[place] as HTMLElement).innerText,
      ),
    place,
  );

const said = (shown: Shown): Promise<string> =>
  shown.frame.evaluate(
    () => [...document.querySelectorAll("[role=status]")].at(-1)?.textContent ?? "",
  );

describe("with the keyboard alone", () => {
  test("rows are filtered, sorted both ways and back, and paged", async () => {
    const shown = await stage.show(dataTable({ title: "Orders" }), { result });
    const { keyboard } = shown.page;
    await shown.frame.locator("body").click({ position: { x: 2, y: 2 } });
    await keyboard.press("Tab");
    await keyboard.type("lovelace");
    await expect.poll(() => said(shown)).toBe("1–15 of 15, filtered from 60");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    const heading = shown.frame.getByRole("columnheader", { name: "Total" });
    expect(await heading.getAttribute("aria-sort")).toBe("ascending");
    const totals = (await column(shown, 2)).map((text) => Number(text.replace(",", "")));
    expect(totals).toEqual([...totals].sort((a, b) => a - b));
    expect(await said(shown)).toBe("Sorted by Total, ascending");
    await keyboard.press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    await keyboard.press("Space");
    expect(await heading.getAttribute("aria-sort")).toBeNull();
    expect((await column(shown, 0)).slice(0, 2)).toEqual(["A-1000", "A-1004"]);
    await shown.frame.getByRole("searchbox").fill("");
    for (let tries = 0; tries < 12; tries++) {
      if ((await shown.frame.locator(":focus").getAttribute("aria-label")) === "Next page") break;
      await keyboard.press("Tab");
    }
    await keyboard.press("Enter");
    await keyboard.press("Enter");
    // A key reaches the frame's own process some time after it was pressed.
    await expect.poll(() => said(shown)).toBe("51–60 of 60");
    // There is no further page, and the focus is where it was.
    await keyboard.press("Enter");
    expect(await said(shown)).toBe("51–60 of 60");
    expect(await shown.frame.locator(":focus").getAttribute("aria-disabled")).toBe("true");
    expect(await shown.violations()).toEqual([]);
  });

  test("a table that is wider than the View is scrolled", async () => {
    const shown = await stage.show(dataTable(), { result, width: 540 });
    const region = shown.frame.getByRole("region", { name: "Rows" });
    await region.focus();
    await shown.page.keyboard.press("ArrowRight");
    await expect.poll(() => region.evaluate((frame) => frame.scrollLeft)).toBeGreaterThan(0);
    // Nothing sticks out of the page itself.
    const [page, view] = await shown.frame.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    expect(page).toBe(view);
    expect(await shown.violations()).toEqual([]);
  });
});

describe("values", () => {
  const rows = [
    { id: 104233, what: "Coffee", price: 1234.5, at: "2026-03-01T23:30:00Z", day: "2026-03-01" },
    { id: 104234, what: "Tea", price: 2.25, at: "2026-03-02T10:00:00Z", day: "2026-03-02" },
  ];
  const read = async (context: object, columns?: never[]): Promise<string> => {
    const shown = await stage.show(dataTable(columns ? { columns } : {}), {
      result: { structuredContent: { rows } },
      context,
    });
    return (await shown.text()).replaceAll("\u00a0", " ");
  };

  test("are written by the Host's locale and time zone; names of things are not grouped", async () => {
    expect(await read({ locale: "de-DE", timeZone: "Europe/Vienna" })).toMatch(
      /104233\s+Coffee\s+1\.234,50\s+02\.03\.2026, 00:30\s+01\.03\.2026/,
    );
    expect(await read({ locale: "en-US", timeZone: "America/New_York" })).toMatch(
      /104233\s+Coffee\s+1,234\.50\s+Mar 1, 2026, 6:30\sPM\s+Mar 1, 2026/,
    );
  });

  test("follow a locale that changes, and survive one that is none", async () => {
    const shown = await stage.show(dataTable(), { result: { structuredContent: { rows } } });
    await shown.setContext({ locale: "de-DE" });
    await expect.poll(() => shown.text()).toContain("1.234,50");
    await shown.setContext({ locale: "not a locale", timeZone: "Nowhere/At_all" });
    await expect.poll(() => shown.text()).toMatch(/1[.,]?234[.,]50/);
    expect(shown.errors).toEqual([]);
  });

  test("use the format of their column", async () => {
    const columns = [
      { key: "price", format: "currency:EUR" as const, label: "Price" },
      { key: "share", format: "percent" as const },
      { key: "size", format: "bytes" as const },
      { key: "stamp", format: "datetime" as const },
      { key: "flag", format: "boolean" as const },
      { key: "year", format: "text" as const },
      { key: "what", align: "center" as const, sortable: false },
    ];
    const row = {
      price: "1234.5",
      share: 0.256,
      size: 2_500_000,
      stamp: Date.UTC(2026, 2, 1, 12),
      flag: 0,
      year: 2026,
      what: "x",
    };
    const shown = await stage.show(dataTable({ columns }), {
      result: { structuredContent: { rows: [row] } },
    });
    const texts = await shown.frame.locator("tbody tr > *").allTextContents();
    expect(texts).toEqual(["€1,234.50", "25.6%", "2.5 MB", "1 Mar 2026, 12:00", "No", "2026", "x"]);
    const last = shown.frame.getByRole("columnheader").last();
    expect(await last.getByRole("button").count()).toBe(0);
    expect(
      await shown.frame
        .locator("td")
        .last()
        .evaluate((cell) => getComputedStyle(cell).textAlign),
    ).toBe("center");
  });
});

describe("options", () => {
  test("choose columns, rows, page size and first order", async () => {
    const shown = await stage.show(
      dataTable({
        columns: [{ key: "order", label: "Nr" }, { key: "total" }],
        rowsKey: "second",
        pageSize: 5,
        sort: { key: "total", direction: "descending" },
      }),
      { result: { structuredContent: { first: ORDERS, second: ORDERS.slice(0, 12) } } },
    );
    expect(await shown.frame.getByRole("columnheader").allTextContents()).toEqual(["Nr", "Total"]);
    expect(await column(shown, 0)).toHaveLength(5);
    expect((await column(shown, 1))[0]).toBe("1,638.0");
    expect(await shown.text()).toContain("1–5 of 12");
  });

  test.each([
    [undefined, 60, 1],
    [undefined, 3, 0],
    [false, 60, 0],
    [true, 3, 1],
  ])("filterable %s with %i rows gives %i fields", async (filterable, count, fields) => {
    const config = filterable === undefined ? {} : { filterable };
    const shown = await stage.show(dataTable(config), {
      result: { structuredContent: { rows: ORDERS.slice(0, count) } },
    });
    await shown.frame.getByRole("table").waitFor();
    expect(await shown.frame.getByRole("searchbox").count()).toBe(fields);
  });

  test("labels replace every word", async () => {
    const labels = { filter: "Zeilen filtern", range: "{from} bis {to} von {count}" };
    const shown = await stage.show(dataTable({ labels, lang: "de" }), { result });
    expect(await shown.frame.getByRole("searchbox", { name: "Zeilen filtern" }).count()).toBe(1);
    expect(await shown.text()).toContain("1 bis 25 von 60");
    expect(await shown.frame.locator("html").getAttribute("lang")).toBe("de");
  });
});

test("a filter without matches shows a message, and can be cleared", async () => {
  const shown = await stage.show(dataTable(), { result });
  await shown.frame.getByRole("searchbox").fill("zebra");
  expect(await shown.text()).toContain("No row contains “zebra”");
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("data-table-no-match-light", [360]);
  await shown.frame.getByRole("button", { name: "Clear filter" }).click();
  expect(await column(shown, 0)).toHaveLength(25);
});

test("rows are found by what is shown, not only by what they hold", async () => {
  const shown = await stage.show(dataTable(), { result });
  await shown.frame.getByRole("searchbox").fill("14 mar hopper");
  await expect.poll(() => column(shown, 3)).toEqual(["14 Mar 2026", "14 Mar 2026"]);
});

test("where text runs to the left, so does the table", async () => {
  const shown = await stage.show(dataTable({ title: "طلبات" }), {
    result,
    context: { locale: "ar-EG" },
  });
  expect(await shown.frame.locator("html").getAttribute("dir")).toBe("rtl");
  const [first, last] = await shown.frame.evaluate(() =>
    [...document.querySelectorAll("th[scope=col]")]
      .filter((_, at, all) => at === 0 || at === all.length - 1)
      .map((heading) => heading.getBoundingClientRect().left),
  );
  expect(first).toBeGreaterThan(last as number);
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("data-table-rtl", [900, 360]);
});

describe("a server without structured content", () => {
  test("that puts JSON into text is understood", async () => {
    const text = JSON.stringify([{ city: "Graz" }, { city: "Linz" }]);
    const shown = await stage.show(dataTable(), { result: { content: [{ type: "text", text }] } });
    await expect.poll(() => column(shown, 0)).toEqual(["Graz", "Linz"]);
  });

  test("that answers in words is read", async () => {
    const content = [{ type: "text" as const, text: "There were no orders in March." }];
    const shown = await stage.show(dataTable(), { result: { content } });
    await expect.poll(() => shown.text()).toContain("There were no orders in March.");
    expect(await shown.violations()).toEqual([]);
  });
});

test("an empty result that comes after a good one changes nothing", async () => {
  const shown = await stage.show(dataTable(), { result });
  await shown.tell({ result: {} });
  expect(await column(shown, 0)).toHaveLength(25);
});

test("a template that fails on its data shows an error instead of a blank frame", async () => {
  // Such a config is rejected where it's defined, so the page is made without its check.
  const html = () => templatePage("data-table", { columns: [null] } as object);
  const shown = await stage.show({ html }, { result });
  await expect
    .poll(() => shown.frame.getByRole("alert").textContent())
    .toMatch(/could not be shown/);
  expect(await shown.violations()).toEqual([]);
});

test("a Host that sends the dark theme without colours gets dark ones", async () => {
  const shown = await stage.show(dataTable({ title: "Orders" }), {
    result,
    theme: "dark",
    bare: true,
  });
  expect(await shown.violations()).toEqual([]);
  const ground = await shown.frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(ground).toBe("rgb(26, 27, 30)");
  await shown.shoot("data-table-bare-dark", [360]);
  await shown.setTheme("light");
  expect(await shown.violations()).toEqual([]);
});

test("ten megabytes of rows are sorted, filtered and paged in a moment", async () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => ({
    id: at,
    name: `Person ${(at * 7919) % 50_000}`,
    email: `person${at}@example.com`,
    amount: (at * 31.7) % 10_000,
    note: `Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor ${at}`,
    born: `19${String(at % 100).padStart(2, "0")}-0${(at % 9) + 1}-1${at % 10}`,
  }));
  expect(JSON.stringify(rows).length).toBeGreaterThan(10_000_000);
  const shown = await stage.show(dataTable());
  await shown.tell({ result: { structuredContent: { rows } } });
  await shown.frame.getByRole("table").waitFor({ timeout: 20_000 });
  /** Milliseconds that the page could do nothing else. */
  const busy = (act: () => Promise<void>, until: () => Promise<void>): Promise<number> =>
    (async () => {
      await shown.frame.evaluate(() => {
        const kept = window as never as { longest: number };
        kept.longest = 0;
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries())
            kept.longest = Math.max(kept.longest, duration);
        }).observe({ type: "longtask" });
      });
      await act();
      await until();
      await shown.page.waitForTimeout(300);
      return shown.frame.evaluate(() => (window as never as { longest: number }).longest);
    })();
  const times = {
    sort: await busy(
      () => shown.frame.getByRole("button", { name: "Name" }).click(),
      () => expect.poll(async () => (await column(shown, 1))[1]).toBe("Person 1"),
    ),
    filter: await busy(
      () => shown.frame.getByRole("searchbox").fill("person 4999"),
      () => expect.poll(() => said(shown), { timeout: 10_000 }).toMatch(/filtered from 50,000/),
    ),
    page: await busy(
      () => shown.frame.getByRole("searchbox").fill(""),
      async () => {
        await expect.poll(() => said(shown), { timeout: 10_000 }).toBe("1–25 of 50,000");
        await shown.frame.getByRole("button", { name: "Next page" }).click();
        await expect.poll(() => said(shown)).toBe("26–50 of 50,000");
      },
    ),
  };
  console.log("10 MB of rows, longest task in ms:", JSON.stringify(times));
  for (const time of Object.values(times)) expect(time).toBeLessThan(2000);
  expect(await shown.frame.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(
    1000,
  );
}, 90_000);
